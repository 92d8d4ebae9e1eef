/**
 * `farthing channels contract` on a local chain. `FARTHING_CHANNEL_INIT_CODE` names a file with the
 * published creation code of the channels' contract, which is then deployed and checked as well.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, standIns, type Devnet } from "@farthing/devnet";
import { channelContract, depositCollector } from "@farthing/protocol";
import { create2Deployer, create2DeployerCode } from "@farthing/protocol/channel-probes";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

let devnet: Devnet;
let folder: string;
beforeAll(async () => {
  devnet = await startDevnet({ buyers: 1, relayers: 1, blockTimeSeconds: 1 });
  folder = mkdtempSync(join(tmpdir(), "farthing-contract-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await devnet?.stop();
});
afterEach(async () => {
  await place(channelContract, standIns.contract);
  await place(create2Deployer, create2DeployerCode);
});

const place = (address: string, code: string) => devnet.rpc("anvil_setCode", [address, code]);
const sent = () =>
  devnet.rpc("eth_getTransactionCount", [devnet.buyers[0]?.address ?? "", "latest"]);

function contract(...flags: string[]) {
  const environment = {
    FARTHING_RPC_URL: devnet.rpcUrl,
    FARTHING_WALLET_KEY: devnet.buyers[0]?.privateKey ?? "",
  };
  return farthing(["channels", "contract", ...flags], { environment });
}

function codeFile(text: string): string {
  const path = join(folder, "code.hex");
  writeFileSync(path, text);
  return path;
}

test("a local chain passes the check, which says that its code is a stand-in", async () => {
  const { code, stdout } = await contract("--check");
  expect([code, stdout]).toEqual([0, expect.stringContaining("Nothing must be fixed")]);
  expect(stdout).toContain("channels   Farthing's stand-in for local chains: 0x4020074e9dF2");
  expect(stdout).toContain('EIP-712 domain: "x402 Batch Settlement", version 1, chain 51');
  expect(stdout).toMatch(/ok {4}deposit of 0 +ZeroDeposit\n/);
  expect(stdout).toMatch(/ok {4}claim of nothing +EmptyBatch\n/);
  expect(stdout).toMatch(/ok {4}collector: collect by a stranger +OnlyX402BatchSettlement\n/);

  const report = JSON.parse((await contract("--json")).stdout);
  expect(report).toMatchObject({ network: "eip155:51", ok: true, deployer: { isThere: true } });
  const { address, codeHash } = report.contracts[1];
  expect([address, codeHash]).toEqual([
    depositCollector,
    expect.stringMatching(/^0x[0-9a-f]{64}$/),
  ]);
  expect(report.calls.length).toBeGreaterThan(30);
});

test("without a contract the check fails and says how to deploy it", async () => {
  await place(channelContract, "0x");
  const { code, stdout } = await contract("--check");
  expect(code).toBe(1);
  expect(stdout).toContain(`FAIL  channels   no contract at ${channelContract}`);
  expect(stdout).toContain("farthing channels contract --deploy --network eip155:51 --init-code");
  expect((await contract()).code).toBe(0);
});

test("other code fails the check, also where only one function differs", async () => {
  // The selector of ZeroDeposit() in the code, as the contract would revert with another error.
  const selector = "56316e87";
  expect(standIns.contract).toContain(selector);
  await place(channelContract, standIns.contract.replace(selector, "deadbeef"));
  const { code, stdout } = await contract("--check");
  expect(code).toBe(1);
  expect(stdout).toContain("neither the published contract nor Farthing's stand-in");
  expect(stdout).toMatch(/FAIL {2}deposit of 0 +a revert with the data 0xdeadbeef; .* ZeroDeposit/);
  expect(stdout).toContain("2 things must be fixed");
});

test("what would stand at another address is not deployed", async () => {
  await place(channelContract, "0x");
  const before = await sent();
  const file = codeFile(standIns.contract);
  const { code, stderr } = await contract("--deploy", "--init-code", file, "--yes");
  expect([code, stderr]).toEqual([2, expect.stringContaining("is no canonical address")]);
  expect(stderr).toContain("0xed07c0a1aeb6bd4b8e28932959d66e9f2c1a2f6ebb1fd3dc5f3fbcf8135850f6");
  expect(stderr).toContain("Nothing was sent.");
  const salted = await contract("--deploy", "--init-code", file, "--salt", `0x${"01".repeat(32)}`);
  expect([salted.code, salted.stderr]).toEqual([2, expect.stringContaining("Nothing was sent.")]);
  const none = await contract("--deploy", "--init-code", codeFile("not hex"));
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("has no creation code")]);
  expect(await sent()).toBe(before);
});

test("another chain than the one asked for is refused", async () => {
  const { code, stderr } = await contract("--check", "--network", "xdc");
  expect([code, stderr]).toEqual([2, expect.stringContaining("serves chain 51, not eip155:50")]);
});

const published = process.env["FARTHING_CHANNEL_INIT_CODE"];
test.skipIf(published === undefined)(
  "the published contract is deployed, and then passes",
  async () => {
    await place(channelContract, "0x");
    const deploy = ["--deploy", "--init-code", published ?? ""];
    await place(create2Deployer, "0x");
    const without = await contract(...deploy, "--yes");
    expect([without.code, without.stderr]).toEqual([3, expect.stringContaining("has no deployer")]);
    await place(create2Deployer, create2DeployerCode);
    // Nobody can be asked here.
    const before = await sent();
    const unasked = await contract(...deploy);
    expect([unasked.code, unasked.stderr]).toEqual([
      3,
      expect.stringMatching(/ XDC \([\d,]+ gas at/),
    ]);
    expect(await sent()).toBe(before);
    const { code, stdout } = await contract(...deploy, "--yes", "--json");
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { address: channelContract }]);
    const checked = await contract("--check");
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringContaining("channels   the published contract: 0x4020074e9dF2"),
    ]);
    const again = await contract(...deploy);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("already deployed")]);
  },
);
