/** The packages as their users install them: packed, and without what they do not name. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { served, startSeller, testKey } from "@farthing/buyer/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Packed } from "../../release/pack.ts";
import { link, packSources } from "../../release/pack-sources.ts";
import { namesIn, readManifest } from "../../release/packages.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

const work = mkdtempSync(join(tmpdir(), "farthing-packed-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Building and packing take half a minute by themselves, and minutes beside other tests. */
const buildMs = 600_000;

let packed: readonly Packed[];

beforeAll(async () => {
  packed = await packSources(root, work);
}, buildMs);

/** Installs packed packages with what they depend on; theirs of other makers are those of here. */
async function install(...wanted: readonly string[]): Promise<string> {
  const project = mkdtempSync(join(work, "project-"));
  const modules = join(project, "node_modules");
  const names = new Set(wanted);
  for (const name of names) {
    const found = packed.find((one) => one.name === name);
    if (found === undefined) {
      link(join(root, "node_modules", name), join(modules, name));
      continue;
    }
    mkdirSync(join(modules, name), { recursive: true });
    await run("tar", ["-xzf", found.path, "--strip-components=1", "-C", join(modules, name)]);
    for (const next of namesIn(readManifest(join(modules, name)), "dependencies")) names.add(next);
  }
  return project;
}

/** All files of an installed project. */
const filesOf = (project: string): string[] =>
  readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

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
    // What the machine has installed for itself is not the test's.
    XDG_CACHE_HOME: project,
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

test("every tarball has its licence, and neither sources nor tests", () => {
  expect(packed.map(({ name }) => name)).toContain("@farthing/seller");
  for (const { name, files } of packed) {
    expect([name, files]).toEqual([name, expect.arrayContaining(["LICENSE", "README.md"])]);
    const ours = /^src\/|\.(test|suite|testing)\./;
    expect([name, files.filter((path) => ours.test(path))]).toEqual([name, []]);
  }
});

/** What a buyer waits for on a slow line; with its dependencies beside it, it was 75 MB. */
const installedBytesMax = 15_000_000;

test("farthing installs in under 15 MB, with no native part and nothing beside it", async () => {
  const project = await install("farthing");
  expect(readdirSync(join(project, "node_modules"))).toEqual(["farthing"]);
  const files = filesOf(project);
  expect(files.filter((path) => /\.(node|wasm|so|dylib|dll)$|binding\.gyp$/.test(path))).toEqual(
    [],
  );
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  expect(bytes).toBeLessThan(installedBytesMax);
});

test("every part of the bundled command loads", async () => {
  const dist = join(await install("farthing"), "node_modules/farthing/dist");
  const parts = readdirSync(dist).filter((name) => name !== "main.js");
  const load = parts.map((name) => `await import(${JSON.stringify(join(dist, name))});`);
  expect(parts.length).toBeGreaterThan(10);
  await run(process.execPath, ["--input-type=module", "--eval", load.join("\n")]);
});

test("farthing alone: the help, a payment, and how to install the operator's commands", async () => {
  const project = await install("farthing");
  const help = await runIn(project, "farthing", "--help");
  expect(help).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}pay /m), stderr: "" });
  await using seller = await startSeller({ paid: [served()] });
  const paid = await runIn(project, "farthing", "pay", seller.url);
  expect([paid.code, paid.stdout]).toEqual([0, served().body]);
  const written = await runIn(project, "farthing", "init", "seller", "shop");
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining("server.js\n")]);
  const devnet = await runIn(project, "farthing", "devnet");
  expect(devnet.stderr).toMatch(/npm install @foundry-rs\/anvil@\d+\.\d+\.\d+ /);
  const serve = await runIn(project, "farthing", "serve");
  expect(serve).toEqual({
    code: 3,
    stdout: "",
    stderr:
      "farthing: farthing serve needs the operator's package: install it beside this one with `npm install farthing-operator`, or with --global if farthing is installed globally.\n",
  });
});

test("the service brings the script of its API reference, and not the package it is from", async () => {
  const project = await install("farthing-operator");
  expect(readdirSync(join(project, "node_modules"))).not.toContain("@scalar");
  const built = join(project, "node_modules/@farthing/facilitator/dist/http/openapi/scalar.js");
  const read = `const { readScalar } = await import(${JSON.stringify(built)}); console.log((await readScalar()).length);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", read]);
  // Compressed; with the package and its dependencies, an installation grew by 23 MB.
  expect(Number(stdout)).toBeGreaterThan(1_000_000);
  expect(Number(stdout)).toBeLessThan(2_000_000);
});

test("with the operator's package beside it, farthing runs its commands", async () => {
  const project = await install("farthing", "farthing-operator");
  const account = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
  const created = await runIn(project, "farthing", "keys", "create", "--account", account);
  expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^fk_live_\w+\n$/)]);
  const forwarded = await runIn(project, "farthing", "keys", "list");
  expect(forwarded).toEqual({ code: 0, stdout: expect.stringContaining(account), stderr: "" });
  expect(await runIn(project, "farthing-operator", "keys", "list")).toEqual(forwarded);
  expect((await runIn(project, "farthing", "serve", "--help")).stdout).toContain("--self-built");
  const folder = join(project, "pay");
  const init = ["init", folder, "--domain", "pay.example.com"];
  const written = await runIn(project, "farthing-operator", ...init);
  expect([written.code, written.stdout]).toEqual([0, expect.stringMatching(/^0x\w{40}\n$/)]);
  // Without a checkout, the image is built from the repository.
  expect(readFileSync(join(folder, ".env"), "utf8")).toMatch(/^SOURCE=https:.*#v\d/m);
});
