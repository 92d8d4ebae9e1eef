/** `farthing devnet` where anvil is missing: it says how to get it, or installs it with npm. */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { listen } from "@farthing/buyer/testing";
import { anvilPackage, findAnvil } from "@farthing/devnet";
import { programFile } from "@farthing/lab/programs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

const bin = programFile(new URL("../../bin/farthing.js", import.meta.url));

/** Makes the package impossible to find, as where nobody has installed it, except in the cache. */
const withoutAnvil = `data:text/javascript,
import Module from "node:module";
const resolve = Module._resolveFilename;
Module._resolveFilename = (name, parent, ...rest) => {
  const isHere = parent?.filename?.startsWith(process.env.XDG_CACHE_HOME + "/");
  if (isHere || !name.includes("@foundry-rs/anvil")) return resolve(name, parent, ...rest);
  throw new Error("Cannot find module " + name);
};`.replaceAll("\n", "%0A");

const manifest = new URL("../../../devnet/package.json", import.meta.url);
const { peerDependencies } = JSON.parse(readFileSync(manifest, "utf8"));
const version: string = peerDependencies["@foundry-rs/anvil"];
const name = anvilPackage();

const work = mkdtempSync(join(tmpdir(), "farthing-anvil-"));
/** A stand-in for the package of 44 MB: it runs the anvil that is installed here. */
let tarball: Buffer;
/** A registry with this package alone. */
const registry = createServer((request, response) => {
  const path = decodeURIComponent(request.url ?? "");
  if (path === `/${name}`) response.end(JSON.stringify(describePackage()));
  else if (path === "/anvil.tgz") send((bytes) => response.end(bytes));
  else response.writeHead(404).end();
});
/** How it sends the tarball. */
let send: (end: (bytes: Buffer) => void) => void;
let registryUrl: string;
let cache: string;

function describePackage() {
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const dist = { integrity, tarball: `${registryUrl}/anvil.tgz` };
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { name, version, dist } },
  };
}

beforeAll(async () => {
  registryUrl = await listen(registry);
  const folder = join(work, "package");
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version }));
  const script = `#!/bin/sh\nexec '${findAnvil()}' "$@"\n`;
  writeFileSync(join(folder, "bin/anvil"), script, { mode: 0o755 });
  tarball = execFileSync("tar", ["-czC", work, "package"]);
});
afterAll(() => {
  registry.closeAllConnections();
  registry.close();
  rmSync(work, { recursive: true });
});
beforeEach(() => {
  send = (end) => end(tarball);
  cache = mkdtempSync(join(work, "cache-"));
});

const cached = () => readdirSync(join(cache, "farthing"));

function run(command: readonly [string, ...string[]]) {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      TERM: "dumb",
      HOME: work,
      XDG_CACHE_HOME: cache,
      npm_config_registry: registryUrl,
      npm_config_cache: join(work, `npm-${basename(cache)}`),
    },
  });
  return { child, exit: once(child, "exit"), stdout: child.stdout, stderr: text(child.stderr) };
}

const line = [process.execPath, "--import", withoutAnvil, bin] as const;
const farthing = (...args: string[]) => run([...line, ...args]);

test("without a terminal: both ways to get it, in the version that it is made for", async () => {
  for (const args of [["devnet"], ["dev", "--to", "3000"]]) {
    const { exit, stderr } = farthing(...args);
    expect(await exit).toEqual([3, null]);
    expect(await stderr).toContain(`npm install @foundry-rs/anvil@${version} `);
    const folder = join(cache, "farthing", `anvil-${version}`);
    expect(await stderr).toContain(`with --yes, which installs it once in ${folder}`);
  }
});

test("--yes installs it once; later runs need neither the option nor the registry", async () => {
  for (const flags of [["--yes"], []]) {
    const { child, exit, stdout } = farthing("devnet", "--json", ...flags);
    const [printed] = await once(createInterface(stdout), "line");
    expect(JSON.parse(printed)).toMatchObject({ network: "eip155:51" });
    child.kill();
    expect(await exit).toEqual([0, null]);
    expect(cached()).toEqual([`anvil-${version}`]);
    send = () => expect.unreachable();
  }
});

test("a damaged download is refused, and a stopped one leaves nothing behind", async () => {
  send = (end) => end(Buffer.concat([tarball, Buffer.of(1)]));
  const damaged = farthing("devnet", "--yes");
  expect([await damaged.exit, cached()]).toEqual([[3, null], []]);
  expect(await damaged.stderr).toContain("EINTEGRITY");

  const stopped = farthing("devnet", "--yes");
  send = () => stopped.child.kill("SIGINT");
  expect([await stopped.exit, cached()]).toEqual([[7, null], []]);
  expect(await stopped.stderr).toBe("farthing: Canceled. Nothing was installed.\n");
});

test("on a terminal it asks first", async () => {
  const words = [...line, "devnet"].map((word) => `'${word}'`).join(" ");
  const { child, exit, stdout } = run(["script", "-qec", words, "/dev/null"]);
  child.stdout.once("data", () => child.stdin.write("n\r"));
  const shown = await text(stdout);
  expect(shown).toContain(`Install it now in ${cache}/farthing/anvil-${version} (44 MB)? [y/N]`);
  expect(shown).toContain("Canceled. Nothing was installed.");
  expect([await exit, readdirSync(cache)]).toEqual([[7, null], []]);
});
