/** `farthing doctor` as a shell sees it: text for people, one object with --json, exit codes. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { farthing } from "farthing/testing";

let devnet: Devnet;
let folder: string;
let environment: Record<string, string>;
beforeAll(async () => {
  devnet = await startDevnet({ buyers: 1, relayers: 1, blockTimeSeconds: 1 });
  folder = mkdtempSync(join(tmpdir(), "farthing-doctor-"));
  environment = {
    FARTHING_RPC_51: `${devnet.rpcUrl}/?key=of-a-provider`,
    FARTHING_RELAYER_KEYS: devnet.relayers[0]?.privateKey ?? "",
    DATABASE_URL: `sqlite:${join(folder, "farthing.db")}`,
  };
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await devnet?.stop();
});

// The doctor listens to a node for ten seconds.
test("nothing to fix: 0, every section, a warning and its advice", async () => {
  const { code, stdout, stderr } = await farthing(["doctor"], { environment });
  expect([code, stderr]).toEqual([0, ""]);
  for (const title of ["configuration", "database", "eip155:51 chain", "eip155:51 wallets"]) {
    expect(stdout).toMatch(new RegExp(`^${title}$`, "m"));
  }
  expect(stdout).toMatch(/^ {2}warn {2}eip155:51 .*one endpoint\n +→ name a second one/m);
  expect(stdout).toMatch(/Nothing must be fixed, 1 warning\.\n$/);
  expect(stdout).not.toContain("of-a-provider");
});

test("something to fix: 3, and --json says the same", async () => {
  const ill = { ...environment, FARTHING_RPC_51: "http://127.0.0.1:9" };
  const { code, stdout } = await farthing(["doctor"], { environment: ill });
  expect(code).toBe(3);
  expect(stdout).toMatch(/^ {2}FAIL {2}answer {2}no answer .*\n +→ check entry 1/m);
  const asJson = await farthing(["doctor", "--json"], { environment: ill });
  expect(asJson.code).toBe(3);
  const report: unknown = JSON.parse(asJson.stdout);
  expect(report).toMatchObject({ ok: false, counts: { fail: 2 } });
});

test("--fix takes the rights of others on files away, and says so", async () => {
  const secret = join(folder, "relayer");
  writeFileSync(secret, devnet.relayers[0]?.privateKey ?? "", { mode: 0o644 });
  const { FARTHING_RELAYER_KEYS: _, ...others } = environment;
  // No node, so that no endpoint is measured for ten seconds.
  const ill = { ...others, FARTHING_RPC_51: "http://127.0.0.1:9" };
  const filed = { ...ill, FARTHING_RELAYER_KEYS_FILE: secret };
  const told = await farthing(["doctor"], { environment: filed });
  expect(told.stdout).toMatch(/^ {2}warn {2}files .*relayer \(0644\)\n +→ chmod 600 .*--fix$/m);
  expect(statSync(secret).mode & 0o777).toBe(0o644);
  const fixed = await farthing(["doctor", "--fix"], { environment: filed });
  expect(fixed.stdout).toMatch(/^ {2}ok {4}files .*relayer is its owner's alone now/m);
  expect(statSync(secret).mode & 0o777).toBe(0o600);
});

test("a configuration that cannot be read: each problem on its line, and 3", async () => {
  const wrong = { ...environment, FARTHING_PORT: "no", FARTHING_BATCH_MAX: "0" };
  const { code, stdout } = await farthing(["doctor"], { environment: wrong });
  expect(code).toBe(3);
  expect(stdout).toMatch(/FAIL {2}setting {2}FARTHING_PORT is "no"/);
  expect(stdout).toMatch(/FAIL {2}setting {2}FARTHING_BATCH_MAX is "0"/);
});
