/** The command itself: help, version, usage, and the launcher's check of Node. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { farthing } from "./command/farthing-bin.testing.ts";

test("--help lists every subcommand, --version says which", async () => {
  const help = await farthing(["--help"]);
  expect(help.code).toBe(0);
  for (const name of ["pay", "devnet"]) expect(help.stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  const version = await farthing(["--version"]);
  expect([version.code, version.stdout]).toEqual([0, `${manifest.version}\n`]);
});

test("--help loads little, and nothing that signs or hashes", () => {
  const reporting = `
    import { registerHooks } from "node:module";
    const load = (url, context, next) => (process.stderr.write(url + "\\n"), next(url, context));
    registerHooks({ load });
  `;
  const imported = `data:text/javascript,${encodeURIComponent(reporting)}`;
  // The sources, which the other tests have in one file.
  const bin = fileURLToPath(new URL("../bin/farthing.js", import.meta.url));
  const shell = '"$@" 2>&1 >/dev/null';
  const loaded = execFileSync(
    "sh",
    ["-c", shell, "sh", process.execPath, "--import", imported, bin, "--help"],
    { encoding: "utf8" },
  ).split("\n");
  expect(loaded.some((url) => url.endsWith("/src/commands.ts"))).toBe(true);
  expect(loaded.filter((url) => /node_modules\/(?:ox|@scure|@noble|viem)\//.test(url))).toEqual([]);
  expect(loaded.length).toBeLessThan(40);
});

test.each([
  [[]],
  [["borrow"]],
  [["--loud"]],
  [["pay"]],
  [["devnet", "--port", "x"]],
  [["devnet", "--gas-price", "0"]],
])("%j is usage: 2, and nothing on stdout", async (args) => {
  const { code, stdout, stderr } = await farthing(args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).not.toBe("");
});

test("devnet --help names its options", async () => {
  const { code, stdout } = await farthing(["devnet", "--help"]);
  expect(code).toBe(0);
  for (const flag of ["--port", "--chain-id", "--block-time", "--gas-price", "--json"]) {
    expect(stdout).toContain(flag);
  }
});

test("an old Node is told what to do, with 3", async () => {
  const old = 'Object.defineProperty(process.versions, "node", { value: "22.1.0" })';
  const { code, stderr } = await farthing(["--version"], {
    nodeArguments: ["--import", `data:text/javascript,${encodeURIComponent(old)}`],
  });
  expect(code).toBe(3);
  expect(stderr).toMatch(/needs Node\.js 24 or newer; this is 22\.1\.0/);
});
