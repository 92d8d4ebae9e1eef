/** When a payment counts as final: by the node's own word, or by depth where it has none. */
import type { Devnet } from "@farthing/devnet";
import { isObject, type Hex, type JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Fault } from "@farthing/engine/base";
import {
  bodyOn,
  finalAfterBlocks,
  newDatabaseUrl,
  serveOn,
  startChain,
  type Served,
} from "../support/facilitator.testing.ts";
import {
  startRpcProxy,
  type NodeCall,
  type Reaction,
  type RpcProxy,
} from "@farthing/lab/rpc-proxy";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served | undefined;
beforeAll(async () => {
  devnet = await startChain({ relayers: 3 });
  proxy = await startRpcProxy(devnet.rpcUrl);
});
afterAll(async () => {
  await proxy?.stop();
  await devnet?.stop();
});
afterEach(async () => {
  proxy.react = () => undefined;
  await served?.stop();
});

async function settleAt(wallet: number, react: (call: NodeCall) => Reaction | undefined) {
  proxy.react = react;
  const at = await serveOn(devnet, { rpcUrl: proxy.url, wallets: [wallet] });
  served = at;
  const { body } = await at.post("/settle", bodyOn(devnet));
  expect(body).toMatchObject({ status: "confirmed" });
  const page = async (): Promise<JsonObject> =>
    (await at.get(`/settlements/${String(body["id"])}`)).body;
  /** Makes blocks until the payment is so deep, and waits until the service has seen them. */
  const untilDeep = async (confirmations: number) => {
    const { blockNumber } = await page();
    const head = Number(await devnet.rpc<Hex>("eth_blockNumber"));
    await devnet.mine(Number(blockNumber) + confirmations - 1 - head);
    await expect.poll(async () => (await page())["confirmations"]).toBe(confirmations);
  };
  return { page, untilDeep };
}

const isOfFinal = ({ method, params: [tag] }: NodeCall) =>
  method === "eth_getBlockByNumber" && tag === "finalized";
const soon = { timeout: 60_000 };

test("two blocks later, as this chain says", async () => {
  const { page, untilDeep } = await settleAt(0, () => undefined);
  await untilDeep(4);
  await expect.poll(async () => (await page())["finalized"], soon).toBe(true);
});

test.each([
  ["refuses the tag", 1, { error: { code: -32_602, message: "invalid argument 0" } }],
  ["has no such block", 2, { result: null }],
] as const)("a node that %s: twelve blocks deep, and not before", async (_, wallet, reaction) => {
  const { page, untilDeep } = await settleAt(wallet, (call) =>
    isOfFinal(call) ? reaction : undefined,
  );
  await untilDeep(12);
  expect(await page()).toMatchObject({ finalized: false, finalizedAt: null });
  await untilDeep(13);
  // Recorded a moment after the block is seen.
  await expect.poll(async () => (await page())["finalizedAt"], soon).toEqual(expect.any(String));
  expect(await page()).toMatchObject({ finalized: true });
});

function away(): Promise<never> {
  return Promise.reject(new Fault("storage_unavailable", "The statement took too long"));
}

test("cannot be recorded: the service starts, and payments go on being made and told", async () => {
  const databaseUrl = newDatabaseUrl();
  const opened = await openStore(databaseUrl);
  const finality = { isAway: true };
  const store: ServiceStore = {
    ...opened,
    listUnfinalizedBlocks: (chainId) =>
      finality.isAway ? away() : opened.listUnfinalizedBlocks(chainId),
    recordFinalized: (...given) => (finality.isAway ? away() : opened.recordFinalized(...given)),
  };
  // One nonce in flight: the second payment needs the first one's to be closed.
  const env = { FARTHING_LANE_IN_FLIGHT: "1" };
  served = await serveOn(devnet, { wallets: [0], databaseUrl, store, env });
  const first = await served.post("/settle", bodyOn(devnet));
  expect(first.body).toMatchObject({ status: "confirmed" });
  const second = await served.post("/settle", bodyOn(devnet));
  expect(second.body).toMatchObject({ status: "confirmed" });
  const page = async () => (await served?.get(`/settlements/${String(first.body["id"])}`))?.body;
  // A refund needs the record, so the response does not call the payment final before it.
  await devnet.mine(finalAfterBlocks);
  const block = Number((await page())?.["blockNumber"]);
  const finalBlock = async () => {
    const networks = (await served?.get("/v1/status"))?.body["networks"];
    const [network]: readonly unknown[] = Array.isArray(networks) ? networks : [];
    return isObject(network) ? Number(network["finalizedBlock"]) : 0;
  };
  await expect.poll(finalBlock).toBeGreaterThanOrEqual(block);
  expect(await page()).toMatchObject({ finalized: false, finalizedAt: null });
  finality.isAway = false;
  const look = async () => {
    await devnet.mine();
    return (await page())?.["finalizedAt"];
  };
  await expect.poll(look).toEqual(expect.any(String));
});
