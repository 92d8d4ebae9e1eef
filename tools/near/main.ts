/**
 * The command: checks what was changed and runs the tests nearest to it, in less than 90 s for a usual
 * change. It compares with the branch `main`, on which it compares with the commit before.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isLongFile } from "../test-order.ts";
import { findNearest } from "./nearest.ts";
import { readImports } from "./read-imports.ts";

/** Files of tests in one run. Most take a few seconds, and two run at a time on two cores. */
const filesMax = 16;

const root = join(import.meta.dirname, "../..");

const git = (...args: readonly string[]) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

/** The commit that the change starts from. */
function findBase(): string {
  const base = git("merge-base", "HEAD", "main");
  const isMain = base === git("rev-parse", "HEAD");
  const hasEdits = git("status", "--porcelain") !== "";
  return isMain && !hasEdits ? "HEAD~1" : base;
}

const base = process.argv[2] ?? findBase();
const changed = [
  ...git("diff", "--name-only", base).split("\n"),
  ...git("ls-files", "--others", "--exclude-standard").split("\n"),
].filter((path) => path !== "" && existsSync(join(root, path)));
const sources = changed.filter((path) => /\.(ts|tsx|js|mjs)$/.test(path));

/** Runs a program of this project's packages; tells whether it was content. */
function run(program: string, args: readonly string[]): boolean {
  const bin = join(root, "node_modules", ".bin", program);
  return spawnSync(bin, args, { cwd: root, stdio: "inherit" }).status === 0;
}

const near = findNearest(readImports(), changed);
const wanted = near.filter(({ path, steps }) => steps === 0 || !isLongFile(path));
const tests = wanted.slice(0, filesMax).map(({ path }) => path);
console.log(`${changed.length} changed files since ${base}; ${tests.length} test files.`);
const left = near.filter(({ path }) => !tests.includes(path));
if (left.length > 0) {
  const names = left.slice(0, filesMax).map(({ path }) => `  ${path}\n`);
  console.log(`${left.length} that the change reaches are left to npm test, first of all:`);
  console.log(names.join(""));
}

const results = [
  changed.length === 0 || run("oxfmt", ["--check", "--no-error-on-unmatched-pattern", ...changed]),
  sources.length === 0 || run("oxlint", ["--deny-warnings", ...sources]),
  sources.length === 0 || run("tsc", ["--noEmit", "-p", "tsconfig.json"]),
  // Without the name of a file, Vitest would run all of them.
  run("vitest", ["run", ...tests, "tools/tidy.test.ts"]),
];
process.exit(results.every(Boolean) ? 0 : 1);
