/** The page of promises names tests, rules, invariants and cases; each of them must be there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recoveryPaths } from "../sim/recovery-paths.ts";
import { guarantees } from "./guarantees.ts";

const root = join(import.meta.dirname, "../..");

const textOf = (file: string) => readFileSync(join(root, file), "utf8");

/** The sources of a folder in one text. */
function sourcesOf(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => textOf(join(folder, name)))
    .join("\n");
}

test("every test that a promise names is there, under its title", () => {
  const named = guarantees.flatMap(({ evidence }) => evidence.tests);
  const missing = named.filter(
    ([file, title]) =>
      !existsSync(join(root, file)) ||
      (title !== undefined && !textOf(file).includes(`"${title}"`)),
  );
  expect(missing).toEqual([]);
});

test("every rule, invariant and case that a promise names is there", () => {
  const places = [
    ["tools/lab/audit", guarantees.flatMap(({ evidence }) => evidence.rules)],
    ["tools/model", guarantees.flatMap(({ evidence }) => evidence.invariants ?? [])],
    ["packages/conform/src", guarantees.flatMap(({ evidence }) => evidence.cases ?? [])],
  ] as const;
  for (const [folder, names] of places) {
    const text = names.length === 0 ? "" : sourcesOf(folder);
    expect([folder, names.filter((name) => !text.includes(`"${name}"`))]).toEqual([folder, []]);
  }
});

test("every recovery path that a promise names is counted", () => {
  const named = guarantees.flatMap(({ evidence }) => evidence.paths ?? []);
  expect(named.filter((path) => !recoveryPaths.includes(path))).toEqual([]);
});

test("each rule, invariant and case on the page leads to the file that has it", () => {
  const page = textOf("docs/guarantees.md");
  const links = [...page.matchAll(/\[“([^”]+)”\]\(\.\.\/([^)]+)\)/g)];
  expect(links.length).toBeGreaterThan(0);
  const lost = links.filter(
    ([, name, file = ""]) => !file.endsWith(".ts") || !textOf(file).includes(`"${name}"`),
  );
  expect(lost.map(([link]) => link)).toEqual([]);
});

test("every promise has evidence, conditions and limits, and a name of its own", () => {
  expect(new Set(guarantees.map(({ id }) => id)).size).toBe(guarantees.length);
  for (const { id, conditions, limits, evidence } of guarantees) {
    expect([id, evidence.tests.length > 0, conditions !== "", limits !== ""]).toEqual([
      id,
      true,
      true,
      true,
    ]);
  }
});
