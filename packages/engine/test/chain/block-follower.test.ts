/**
 * The block follower on a real chain that reorganises, asked through a proxy which answers for an
 * endpoint on the fork that was left.
 */
import { startDevnet, type Devnet } from "@farthing/devnet";
import { isObject, networkOfChain } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createChain, createRpcEndpoint } from "../../src/index.ts";
import { Secret, silentLog } from "../../src/base.ts";
import { type BlockFollower, startBlockFollower } from "../../src/chain/follower/block-follower.ts";
import { createHastenedClock } from "../support/hastened-clock.testing.ts";
import { startRpcProxy, type NodeCall, type RpcProxy } from "@farthing/lab/rpc-proxy";

/** What a listener was told: a block by its hash and its parent's, or where the chain parted. */
type WorkerMessage =
  | { readonly hash: string; readonly parentHash: string }
  | { readonly fromBlock: number };

let devnet: Devnet;
let proxy: RpcProxy;
let follower: BlockFollower;
let told: WorkerMessage[] = [];

beforeAll(async () => {
  devnet = await startDevnet({ buyers: 4, blockTimeSeconds: 0 });
  await devnet.rpc("evm_setAutomine", [false]);
  proxy = await startRpcProxy(devnet.rpcUrl);
  const endpoint = createRpcEndpoint({ url: new Secret(proxy.url), index: 0 });
  const network = networkOfChain(devnet.chainId);
  // Most of these tests is waiting until the follower has looked again.
  const clock = createHastenedClock(4);
  follower = startBlockFollower({
    chain: createChain({ network, endpoints: [endpoint], log: silentLog, clock }),
    clock,
    log: silentLog,
    wallets: [],
    lateWallets: () => new Set(),
    interest: () => "outcome",
    listener: {
      onBlock: async ({ hash, parentHash }) => void told.push({ hash, parentHash }),
      onReorganisation: async (fromBlock) => void told.push({ fromBlock }),
    },
  });
  await follower.ready();
});
afterAll(async () => {
  await follower?.stop();
  await proxy?.stop();
  await devnet?.stop();
});
beforeEach(async () => {
  proxy.react = () => undefined;
  // With a transaction in it: an empty block is replaced by one that is the same to the last bit.
  await devnet.usdc.mint(devnet.seller.address, 1n);
  await untilTold(await headOf());
  told = [];
});

interface Head {
  readonly number: number;
  readonly hash: string;
  /** As the node gives it. */
  readonly block: object;
}

async function headOf(): Promise<Head> {
  const block = await devnet.rpc<unknown>("eth_getBlockByNumber", ["latest", false]);
  if (!isObject(block)) throw new Error("a chain has a head");
  return { number: Number(block["number"]), hash: String(block["hash"]), block };
}

const untilTold = ({ hash }: Head) =>
  expect.poll(() => told).toContainEqual(expect.objectContaining({ hash }));

/** Two looks that began after this was called are over: a third one has begun. */
async function untilLookedTwice(): Promise<void> {
  proxy.reset();
  const looks = () => proxy.calls.filter(asksFor("latest")).length;
  await expect.poll(looks).toBeGreaterThan(3);
}

const asksFor =
  (tag: string) =>
  ({ method, params }: NodeCall): boolean =>
    method === "eth_getBlockByNumber" && params[0] === tag;

/** While the newest block is replaced and another one follows, the proxy shows the old one. */
async function reorganise(old: Head): Promise<Head> {
  proxy.react = (call) => (asksFor("latest")(call) ? { result: old.block } : undefined);
  await devnet.rpc("anvil_reorg", [1, []]);
  await devnet.mine();
  return headOf();
}

test("a head on another fork than the blocks below it waits until both are of one chain", async () => {
  const old = await headOf();
  const head = await reorganise(old);
  // One endpoint has heard of the reorganisation, the other has not.
  const isBelow = asksFor(`0x${old.number.toString(16)}`);
  proxy.react = (call) => (isBelow(call) ? { result: old.block } : undefined);
  await untilLookedTwice();
  expect(told).toEqual([]);
  proxy.react = () => undefined;
  await untilTold(head);
  const [reorganised, replaced, newest] = told;
  expect(reorganised).toEqual({ fromBlock: old.number });
  expect(newest).toMatchObject({ hash: head.hash });
  expect(replaced).toMatchObject({ hash: newest && "hash" in newest ? newest.parentHash : "" });
  expect(replaced).not.toMatchObject({ hash: old.hash });
  expect(told).toHaveLength(3);
});

test("blocks that vanish are announced once, and those in their place are told in order", async () => {
  const old = await headOf();
  const head = await reorganise(old);
  proxy.react = () => undefined;
  await untilTold(head);
  await untilLookedTwice();
  expect(told.filter((one) => "fromBlock" in one)).toEqual([{ fromBlock: old.number }]);
  const blocks = told.flatMap((one) => ("hash" in one ? one : []));
  expect(blocks).toHaveLength(2);
  expect(blocks[1]?.parentHash).toBe(blocks[0]?.hash);
});

test("an older block of the same chain, from an endpoint that lags, is no news", async () => {
  const head = await headOf();
  await devnet.mine();
  const newest = await headOf();
  await untilTold(newest);
  proxy.react = (call) => (asksFor("latest")(call) ? { result: head.block } : undefined);
  told = [];
  await untilLookedTwice();
  expect(told).toEqual([]);
  expect(follower.view()?.head.hash).toBe(newest.hash);
});

/** A backend that does not have the block. */
const lacksLogs = ({ method }: NodeCall) =>
  method === "eth_getLogs" ? { error: { code: -32000, message: "unknown block" } } : undefined;

test("a block whose logs never come, as its fork was left, gives way to the one in its place", async () => {
  const known = await headOf();
  proxy.react = (call) => (asksFor("latest")(call) ? { result: known.block } : undefined);
  await devnet.usdc.mint(devnet.seller.address, 1n);
  const lost = await headOf();
  await devnet.mine();
  const shown = await headOf();
  // The node shows the blocks of the fork; the backend that has their logs is not there.
  const isLost = asksFor(`0x${lost.number.toString(16)}`);
  proxy.react = (call) => {
    if (asksFor("latest")(call)) return { result: shown.block };
    return isLost(call) ? { result: lost.block } : lacksLogs(call);
  };
  await untilLookedTwice();
  await devnet.rpc("anvil_reorg", [2, []]);
  await devnet.mine();
  const head = await headOf();
  expect(told).toEqual([]);
  proxy.react = (call) =>
    JSON.stringify(call.params).includes(lost.hash) ? lacksLogs(call) : undefined;
  await untilTold(head);
  const blocks = told.flatMap((one) => ("hash" in one ? one : []));
  expect(blocks.map(({ hash }) => hash)).not.toContain(lost.hash);
  expect(blocks.map(({ parentHash }) => parentHash)).toEqual([
    known.hash,
    ...blocks.slice(0, -1).map(({ hash }) => hash),
  ]);
});
