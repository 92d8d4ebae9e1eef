/** What `farthing init` does with the flags and the folder that it is given. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

const work = mkdtempSync(join(tmpdir(), "farthing-init-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

test("a value that looks like another example stays where it is", async () => {
  const folder = join(work, "my shop");
  const flags = ["--facilitator", "http://127.0.0.1:3000/x402", "--to", "http://127.0.0.1:4000"];
  const { code, stderr } = await farthing(["init", "gateway", folder, ...flags]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`Next: cd "${folder}", npm install`)]);
  const file = readFileSync(join(folder, "gateway.yaml"), "utf8");
  expect(file).toContain('facilitator: { url: "http://127.0.0.1:3000/x402" }');
  expect(file).toContain('api: { url: "http://127.0.0.1:4000" }');
});

test("mainnet needs an address of one's own; a flag that a template lacks is named", async () => {
  const mainnet = await farthing(["init", "seller", join(work, "live"), "--network", "eip155:50"]);
  expect([mainnet.code, mainnet.stderr]).toEqual([2, expect.stringMatching(/with --pay-to\.$/m)]);
  const agent = [
    "init",
    "agent",
    join(work, "agent"),
    "--pay-to",
    "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  ];
  const { code, stderr } = await farthing(agent);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--pay-to is no setting")]);
  expect(existsSync(join(work, "live")) || existsSync(join(work, "agent"))).toBe(false);
});

test("an API may be named by its port; a price that no seller takes is refused", async () => {
  const folder = join(work, "by port");
  const { code } = await farthing(["init", "gateway", folder, "--to", "4000"]);
  expect(code).toBe(0);
  const file = readFileSync(join(folder, "gateway.yaml"), "utf8");
  expect(file).toContain('api: { url: "http://127.0.0.1:4000" }');
  // Another API than the example's has other paths.
  const asked = ["gateway", "explain", "-c", join(folder, "gateway.yaml"), "GET"];
  expect((await farthing([...asked, "/orders/7"])).stdout).toContain("0.01 USDC");
  expect((await farthing([...asked, "/health"])).stdout).toContain("free");
  const free = await farthing(["init", "seller", join(work, "free"), "--price", "0"]);
  expect([free.code, free.stderr]).toEqual([2, expect.stringContaining("USDC above 0")]);
  expect(existsSync(join(work, "free"))).toBe(false);
});

test("a file in the place of the folder is a wrong configuration", async () => {
  const file = join(work, "file");
  writeFileSync(file, "");
  const { code, stderr } = await farthing(["init", "seller", file]);
  expect([code, stderr]).toEqual([3, expect.stringContaining("is a file. Nothing was written")]);
});
