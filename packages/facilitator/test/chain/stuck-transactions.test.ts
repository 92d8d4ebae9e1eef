/**
 * Transactions that a node takes and no block does, or that it does not take for their price: the
 * same bytes again, then a better price at the same nonce, up to the ceiling, and never two payments.
 */
import type { Devnet } from "@farthing/devnet";
import { isHexBytes, type Hex, type JsonObject } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import * as Rlp from "ox/Rlp";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { silentLog } from "@farthing/engine/base";
import { repriceAfterBlocks } from "@farthing/engine/source/relayer/recovery-action";
import {
  bodyOn,
  finalAfterBlocks,
  hexAt,
  newDatabaseUrl,
  payerAndNonceOf,
  serveOn,
  startChain,
  useLogsOf,
  usesOf,
  type ServeOptions,
  type Served,
} from "../support/facilitator.testing.ts";
import { untilSent } from "../support/settlement-transactions.testing.ts";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";
import { createClockWithWaits } from "../support/changed-waits.testing.ts";
import { rememberIn } from "../support/lost-rows.testing.ts";
import { startRpcProxy, type NodeCall, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served | undefined;
const errors: string[] = [];
beforeAll(async () => {
  devnet = await startChain({ relayers: 11 });
  proxy = await startRpcProxy(devnet.rpcUrl);
});
afterAll(async () => {
  await proxy?.stop();
  await devnet?.stop();
});
beforeEach(async () => {
  errors.length = 0;
  await automine(false);
});
afterEach(async () => {
  proxy.react = () => undefined;
  await automine(true);
  await devnet.mine();
  await served?.stop();
  proxy.reset();
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);

async function serve(
  wallet: number,
  options: Pick<ServeOptions, "env" | "store" | "databaseUrl" | "clock"> = {},
): Promise<Served> {
  const log = { ...silentLog, error: (_fields: object, said: string) => void errors.push(said) };
  served = await serveOn(devnet, {
    rpcUrl: proxy.url,
    wallets: [wallet],
    log,
    ...options,
  });
  return served;
}

const begin = async (at: Served, body: JsonObject) =>
  (await at.post("/settle", body, { prefer: "respond-async" })).body;

async function settle(at: Served, body: JsonObject): Promise<JsonObject> {
  const answer = await begin(at, body);
  return { ...answer, transaction: await untilSent(at, answer) };
}

const pageOf = async (at: Served, { id }: JsonObject) =>
  (await at.get(`/settlements/${String(id)}`)).body;

/** More than any transaction of one payment has. */
const rawBytesMax = 2_000;

function rawOf({ method, params: [raw] }: NodeCall): Hex | undefined {
  return method === "eth_sendRawTransaction" && isHexBytes(raw, rawBytesMax) ? raw : undefined;
}

/** Signed transactions that were sent, each once, in order. */
const sent = () => [...new Set(proxy.calls.flatMap((call) => rawOf(call) ?? []))];

/** A legacy transaction's parts. */
function partsOf(raw: Hex) {
  const [nonce, gasPrice, gasLimit, to, value, data] = Rlp.toHex(raw);
  return { nonce, price: BigInt(String(gasPrice)), call: { gasLimit, to, value, data } };
}

/** The node says that it has them, and forgets them. */
const forget = (call: NodeCall) => {
  const raw = rawOf(call);
  return raw && { result: Hash.keccak256(raw) };
};

const sends = () => proxy.countOf("eth_sendRawTransaction");
const timeouts = { timeout: 60_000, interval: 200 };

/** Makes blocks, one by one, until something is so. */
const untilBlocksShow = (look: () => unknown, wanted: unknown) =>
  expect
    .poll(async () => {
      await devnet.mine();
      return look();
    }, timeouts)
    .toEqual(wanted);

const untilConfirmed = (at: Served, answer: JsonObject) =>
  untilBlocksShow(async () => (await pageOf(at, answer))["state"], "confirmed");

/** Blocks enough for a replacement, as they come: read one by one or several at once. */
async function waitForBlocks(count: number): Promise<void> {
  const before = sends();
  await devnet.mine(count);
  await expect.poll(sends, timeouts).toBeGreaterThan(before);
}

/** Settles a payment whose transaction the node forgets, until a dearer one has taken its place. */
async function settleAndReplace(at: Served) {
  proxy.react = forget;
  const body = bodyOn(devnet);
  const answer = await settle(at, body);
  await waitForBlocks(repriceAfterBlocks);
  await untilBlocksShow(() => sent().length, 2);
  return { body, answer };
}

test("forgotten by the node: the same bytes again after three blocks", async () => {
  const at = await serve(0);
  proxy.react = forget;
  const body = bodyOn(devnet);
  const answer = await settle(at, body);
  await devnet.mine(2);
  proxy.react = () => undefined;
  await untilConfirmed(at, answer);
  expect(sent()).toHaveLength(1);
  expect(await usesOf(devnet, body)).toEqual([answer["transaction"]]);
});

test("taken and never mined: the same call at the same nonce, an eighth dearer", async () => {
  const at = await serve(1);
  const { body, answer } = await settleAndReplace(at);
  const [first, second] = sent().map(partsOf);
  expect(second).toMatchObject({ nonce: first?.nonce, call: first?.call });
  const price = first?.price ?? 0n;
  expect(second?.price).toBeGreaterThan(price + price / 8n);
  proxy.react = () => undefined;
  await untilConfirmed(at, answer);
  const page = await pageOf(at, answer);
  expect(await usesOf(devnet, body)).toEqual([page["transaction"]]);
  expect(page["transaction"]).not.toBe(answer["transaction"]);
});

test("replaced, and the first one is mined all the same: that is the payment", async () => {
  const at = await serve(2);
  const { body, answer } = await settleAndReplace(at);
  await devnet.rpc("eth_sendRawTransaction", [sent()[0]]);
  await untilConfirmed(at, answer);
  const transaction = hexAt(answer, "transaction");
  expect(await pageOf(at, answer)).toMatchObject({ transaction, settledBy: "relayer" });
  expect(await usesOf(devnet, body)).toEqual([transaction]);
});

test("replaced, and the first one is mined and reverts: the payment has failed, with no other nonce", async () => {
  const at = await serve(10);
  const { body, answer } = await settleAndReplace(at);
  const { payer } = payerAndNonceOf(body);
  const balance = await devnet.usdc.balanceOf(payer);
  await devnet.usdc.setBalance(payer, 0n);
  await devnet.rpc("eth_sendRawTransaction", [sent()[0]]);
  await devnet.mine(finalAfterBlocks);
  // By its receipt, before the look at payments that wait for a minute.
  await expect
    .poll(() => pageOf(at, answer), { timeout: 40_000 })
    .toMatchObject({ state: "failed", errorReason: "insufficient_funds" });
  await devnet.usdc.setBalance(payer, balance);
  expect(sent()).toHaveLength(2);
  expect(await usesOf(devnet, body)).toEqual([]);
});

test("the first one is in a block that vanishes while no process runs: the second one is the payment", async () => {
  const databaseUrl = newDatabaseUrl();
  const env = { FARTHING_CONFIRMATIONS: "3" };
  const before = await serve(6, { env, databaseUrl });
  const { body, answer } = await settleAndReplace(before);
  const [first, second] = sent();
  const store = await openStore(databaseUrl);
  onTestFinished(() => store.close());
  const openTransactions = () => store.listOpenTransactions(devnet.chainId, before.relayer);
  await devnet.rpc("eth_sendRawTransaction", [first]);
  // One block, since a reorganisation brings back nothing that the service has seen as final.
  await devnet.mine();
  await expect.poll(openTransactions, timeouts).toEqual([]);
  await before.stop();
  const head = Number(await devnet.rpc<Hex>("eth_blockNumber"));
  const [use] = await useLogsOf(devnet, body);
  await devnet.rpc("anvil_reorg", [head - Number(use?.blockNumber) + 1, []]);
  const transaction = await devnet.rpc<string>("eth_sendRawTransaction", [second]);
  await devnet.mine(3);

  const after = await serve(6, { env, databaseUrl });
  await untilConfirmed(after, answer);
  await devnet.mine(finalAfterBlocks);
  await untilBlocksShow(openTransactions, []);
  const { id } = answer;
  const carriers = await store.listCarriers({ id: String(id), createdAt: Date.now() });
  expect(carriers.filter(({ state }) => state === "mined")).toMatchObject([{ hash: transaction }]);
  expect(errors).toEqual([]);
});

test("mined while its replacement is prepared: no one else is blamed, and nothing is left open", async () => {
  const opened = await openStore(newDatabaseUrl());
  const closed = Promise.withResolvers<void>();
  const store: ServiceStore = {
    ...opened,
    closeNonce: async (...parameters) => {
      await opened.closeNonce(...parameters);
      closed.resolve();
    },
    replaceTransaction: async (...parameters) => {
      const [raw] = sent();
      await devnet.rpc("eth_sendRawTransaction", [raw]);
      await devnet.mine();
      await closed.promise;
      return opened.replaceTransaction(...parameters);
    },
  };
  const at = await serve(5, { store });
  proxy.react = forget;
  const body = bodyOn(devnet);
  const answer = await settle(at, body);
  await waitForBlocks(repriceAfterBlocks);
  await untilConfirmed(at, answer);
  await devnet.mine(finalAfterBlocks);
  const openTransactions = () => opened.listOpenTransactions(devnet.chainId, at.relayer);
  await untilBlocksShow(openTransactions, []);
  expect(errors).toEqual([]);
  expect(await usesOf(devnet, body)).toEqual([answer["transaction"]]);
});

test.each([
  { when: "under its process", wallet: 7, isStopped: false },
  { when: "while no process runs", wallet: 8, isStopped: true },
])(
  "the first one is mined, and the database goes back to before the second one had bytes, $when: no one else is blamed",
  async ({ wallet, isStopped }) => {
    const databaseUrl = newDatabaseUrl();
    const opened = await openStore(databaseUrl);
    let loseSince: (() => void) | undefined;
    const store: ServiceStore = {
      ...opened,
      recordSigned: async (...parameters) => {
        const isReplacement = sent().length > 0;
        if (isReplacement) loseSince ??= rememberIn(databaseUrl);
        return opened.recordSigned(...parameters);
      },
    };
    let at = await serve(wallet, { store });
    const { body, answer } = await settleAndReplace(at);
    await devnet.rpc("eth_sendRawTransaction", [sent()[0]]);
    await untilConfirmed(at, answer);
    await devnet.mine(finalAfterBlocks);

    if (isStopped) await at.stop();
    loseSince?.();
    if (isStopped) at = await serve(wallet, { databaseUrl });
    await untilConfirmed(at, answer);
    const found = await openStore(databaseUrl);
    onTestFinished(() => found.close());
    await untilBlocksShow(() => found.listOpenTransactions(devnet.chainId, at.relayer), []);
    const { id, transaction } = answer;
    const carriers = await found.listCarriers({ id: String(id), createdAt: Date.now() });
    expect(carriers.filter(({ state }) => state === "mined")).toMatchObject([
      { hash: transaction },
    ]);
    expect(await usesOf(devnet, body)).toEqual([transaction]);
    expect(errors).toEqual([]);
  },
);

test("its bytes are lost while its process runs: they are stored again, and its nonce is closed", async () => {
  const databaseUrl = newDatabaseUrl();
  const opened = await openStore(databaseUrl);
  let loseSince: (() => void) | undefined;
  const store: ServiceStore = {
    ...opened,
    recordSigned: async (...parameters) => {
      loseSince ??= rememberIn(databaseUrl);
      return opened.recordSigned(...parameters);
    },
  };
  // The look at open transactions comes every fifth second, here every fifth twentieth of one.
  const clock = createClockWithWaits((ms) => (ms === 1_000 ? 50 : ms));
  const at = await serve(9, { store, databaseUrl, clock });
  proxy.react = forget;
  const body = bodyOn(devnet);
  const answer = await settle(at, body);
  const openTransactions = () => opened.listOpenTransactions(devnet.chainId, at.relayer);
  await expect.poll(() => sent().length, timeouts).toBe(1);
  loseSince?.();
  expect(await openTransactions()).toMatchObject([{ raw: null }]);
  await expect.poll(openTransactions, timeouts).toMatchObject([{ raw: sent()[0] }]);
  proxy.react = () => undefined;
  await untilConfirmed(at, answer);
  await untilBlocksShow(openTransactions, []);
  expect(await usesOf(devnet, body)).toEqual([answer["transaction"]]);
  expect(errors).toEqual([]);
});

test("at the highest price that is allowed it stays as it is, and an operator is told", async () => {
  // An eighth more than 12.5 would be above.
  const at = await serve(3, { env: { FARTHING_GAS_PRICE_MAX: "14" } });
  proxy.react = forget;
  const body = bodyOn(devnet);
  const answer = await settle(at, body);
  await waitForBlocks(repriceAfterBlocks);
  await untilBlocksShow(
    () => errors.filter((said) => /highest gas price/.test(said)).length > 0,
    true,
  );
  expect(sent()).toHaveLength(1);
  proxy.react = () => undefined;
  await untilConfirmed(at, answer);
  expect(await usesOf(devnet, body)).toEqual([answer["transaction"]]);
});

test("below what the node wants: signed again at the same nonce until it is enough", async () => {
  const at = await serve(4);
  const wanted = 16_000_000_000n;
  proxy.react = (call) => {
    const raw = rawOf(call);
    const isLow = raw !== undefined && partsOf(raw).price < wanted;
    return isLow ? { error: { code: -32_000, message: "under min gas price" } } : undefined;
  };
  const body = bodyOn(devnet);
  const answer = await begin(at, body);
  await untilConfirmed(at, answer);
  expect(errors).toContain("Relayer wallet paused");
  const parts = sent().map(partsOf);
  expect(parts.length).toBeGreaterThan(1);
  expect(new Set(parts.map(({ nonce }) => nonce)).size).toBe(1);
  expect(parts.at(-1)?.price).toBeGreaterThanOrEqual(wanted);
  expect(await usesOf(devnet, body)).toEqual([(await pageOf(at, answer))["transaction"]]);
});
