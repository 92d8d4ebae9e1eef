/** `farthing batcher deploy` as an operator runs it, on a local chain. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { openStore } from "@farthing/facilitator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { farthing, type Run } from "farthing/testing";

/** It follows from the contract's code and from the local chain's deployer. */
const address = "0x969dBA570c09406676b12956E01Fe21D1d321237";

/** Of local chains, as many tools expect it. */
const localDeployer = "0x4e59b44847b379578588920cA78FbF26c0B4956C";

let devnet: Devnet;
let folder: string;
let environment: Record<string, string>;
beforeAll(async () => {
  devnet = await startDevnet({ buyers: 1, relayers: 1, blockTimeSeconds: 1 });
  folder = mkdtempSync(join(tmpdir(), "farthing-batcher-"));
  environment = {
    FARTHING_RPC_51: devnet.rpcUrl,
    FARTHING_RELAYER_KEYS: devnet.relayers[0]?.privateKey ?? "",
    DATABASE_URL: `sqlite:${join(folder, "farthing.db")}`,
  };
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await devnet?.stop();
});

function deployOn(network: string, ...flags: string[]): Promise<Run> {
  return farthing(["batcher", "deploy", "--network", network, ...flags], { environment });
}

const deploy = (...flags: string[]) => deployOn("eip155:51", ...flags);

const relayer = () => devnet.relayers[0]?.address ?? "0x";

test("a wallet that another process works is left alone: 3, with what to do", async () => {
  const store = await openStore(environment["DATABASE_URL"] ?? "");
  const owner = `elsewhere/${process.ppid}/abc`;
  await store.takeWalletLease({
    chainId: 51,
    lane: relayer(),
    owner,
    nonceFloor: 0,
    leaseMs: 600_000,
    now: Date.now(),
  });
  const { code, stdout, stderr } = await deploy();
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toContain("No relayer wallet is free: a running facilitator works them");
  await store.releaseWallets(51, owner);
  await store.close();
});

test("deploys once; prints the address, the code hash and what to set", async () => {
  const first = await deploy();
  expect([first.code, first.stdout]).toEqual([0, `${address}\n`]);
  expect(first.stderr).toMatch(/deployed by 0x[0-9a-f]{64}; its code hash is 0x[0-9a-f]{64}\./);
  expect(first.stderr).toContain(`FARTHING_BATCHER_51=${address}`);
  expect(await devnet.rpc("eth_getCode", [address, "latest"])).toMatch(/^0x60/);
  const count = await devnet.rpc("eth_getTransactionCount", [relayer(), "latest"]);

  const again = await deploy("--json");
  expect(again.code).toBe(0);
  const codeHash = /code hash is (0x[0-9a-f]{64})/.exec(first.stderr)?.[1];
  const same = { network: "eip155:51", address, codeHash, transaction: null };
  expect(JSON.parse(again.stdout)).toEqual(same);
  expect(await devnet.rpc("eth_getTransactionCount", [relayer(), "latest"])).toBe(count);
});

test("without a deployer the wallet creates it; a second run finds it where the setting says", async () => {
  await devnet.rpc("anvil_setCode", [localDeployer, "0x"]);
  const first = await deploy("--json");
  expect([first.code, first.stderr]).toEqual([0, ""]);
  const { address: created, transaction, codeHash } = JSON.parse(first.stdout);
  const receipt = await devnet.rpc<{ contractAddress: string }>("eth_getTransactionReceipt", [
    transaction,
  ]);
  expect(receipt.contractAddress.toLowerCase()).toBe(created.toLowerCase());
  const codeAt = (place: string) => devnet.rpc("eth_getCode", [place, "latest"]);
  expect(await codeAt(created)).toBe(await codeAt(address));

  environment["FARTHING_BATCHER_51"] = created;
  const again = await deploy("--json");
  const same = { network: "eip155:51", address: created, codeHash, transaction: null };
  expect(JSON.parse(again.stdout)).toEqual(same);
});

test("a network that is not configured: 3; one that is none: 2", async () => {
  const other = await deployOn("eip155:50");
  expect([other.code, other.stderr]).toEqual([3, expect.stringContaining("eip155:50 is not")]);
  expect((await deployOn("eip155:1")).code).toBe(2);
});
