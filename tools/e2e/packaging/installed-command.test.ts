/** The packages as their users install them: packed, and without what they do not name. */
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { served, startSeller, testKey } from "@farthing/buyer/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Folders of the packages of this repository, by name. */
const folders = new Map(
  readdirSync(join(root, "packages")).map((name) => {
    const folder = join(root, "packages", name);
    return [readManifest(folder).name, folder] as const;
  }),
);

const work = mkdtempSync(join(tmpdir(), "farthing-packed-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** What stands in a package's folder and is no source. */
const made = /^(node_modules|dist|.*\.tsbuildinfo)$/;

/** Building and packing take twenty seconds by themselves, and minutes beside other tests. */
const buildMs = 300_000;

/** A copy of the sources that is built and packed, so that no other test finds what is built. */
const copy = join(work, "copy");

beforeAll(async () => {
  for (const name of ["LICENSE", "tsconfig.base.json"]) cpSync(join(root, name), join(copy, name));
  writeFileSync(join(copy, "package.json"), '{ "private": true, "workspaces": ["packages/*"] }');
  for (const [name, folder] of folders) {
    const to = join(copy, "packages", basename(folder));
    cpSync(folder, to, { recursive: true, filter: (path) => !made.test(basename(path)) });
    link(to, join(copy, "node_modules", name));
  }
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name === "@farthing" || folders.has(name) || name.startsWith(".")) continue;
    link(join(root, "node_modules", name), join(copy, "node_modules", name));
  }
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const build = [compiler, "-b", "packages/operator/tsconfig.build.json"];
  await run(process.execPath, build, { cwd: copy }).catch((error: { readonly stdout: string }) => {
    throw new Error(error.stdout, { cause: error });
  });
  mkdirSync(join(work, "tarballs"));
  await run("npm", ["pack", "--workspaces", "--pack-destination", join(work, "tarballs")], {
    cwd: copy,
  });
}, buildMs);

/** Installs packed packages with what they depend on; theirs of other makers are those of here. */
async function install(...wanted: readonly string[]): Promise<string> {
  const project = mkdtempSync(join(work, "project-"));
  const modules = join(project, "node_modules");
  const names = new Set(wanted);
  for (const name of names) {
    const folder = folders.get(name);
    if (folder === undefined) {
      link(join(root, "node_modules", name), join(modules, name));
      continue;
    }
    mkdirSync(join(modules, name), { recursive: true });
    const tarball = `${name.replace("@", "").replace("/", "-")}-0.1.0.tgz`;
    const from = join(work, "tarballs", tarball);
    await run("tar", ["-xzf", from, "--strip-components=1", "-C", join(modules, name)]);
    for (const next of Object.keys(readManifest(folder).dependencies ?? {})) names.add(next);
  }
  return project;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of an installed package. */
async function runIn(project: string, name: string, ...args: string[]): Promise<Ended> {
  const bin = join(project, "node_modules", name, "bin", `${name}.js`);
  const env = {
    PATH: process.env["PATH"],
    XDG_CONFIG_HOME: project,
    FARTHING_RPC_URL: "none",
    FARTHING_WALLET_KEY: testKey,
    DATABASE_URL: `sqlite:${join(project, "farthing.db")}`,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { cwd: project, env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}

test("farthing alone: the help, a payment, and how to install the operator's commands", async () => {
  const project = await install("farthing");
  const help = await runIn(project, "farthing", "--help");
  expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}pay /m), stderr: "" });
  await using seller = await startSeller({ paid: [served()] });
  const paid = await runIn(project, "farthing", "pay", seller.url);
  expect([paid.code, paid.stdout]).toEqual([0, served().body]);
  const serve = await runIn(project, "farthing", "serve");
  expect(serve).toEqual({
    code: 3,
    stdout: "",
    stderr:
      "farthing: farthing serve needs the operator's package: install it beside this one with `npm install farthing-operator`, or with --global if farthing is installed globally.\n",
  });
});

test("with the operator's package beside it, farthing runs its commands", async () => {
  const project = await install("farthing", "farthing-operator");
  const forwarded = await runIn(project, "farthing", "keys", "list");
  expect(forwarded).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
  expect(await runIn(project, "farthing-operator", "keys", "list")).toEqual(forwarded);
  expect((await runIn(project, "farthing", "serve", "--help")).stdout).toContain("--self-built");
});
