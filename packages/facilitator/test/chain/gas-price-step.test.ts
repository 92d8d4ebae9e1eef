/**
 * The chain multiplies its price of gas between two blocks, and drops what is cheaper: payments go on at
 * the new price, or are refused before anything is claimed, and every surface says why.
 */
import type { Devnet } from "@farthing/devnet";
import { isHexBytes, type Hex, type JsonObject } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import * as Rlp from "ox/Rlp";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startRpcProxy, type NodeCall, type RpcProxy } from "@farthing/lab/rpc-proxy";
import {
  bodyOn,
  countOf,
  frontRun,
  memberAt,
  newDatabaseUrl,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

const gwei = 1_000_000_000n;
const usual = (25n * gwei) / 2n;

let devnet: Devnet;
let proxy: RpcProxy;
let second: RpcProxy;
let served: Served | undefined;
/** What each endpoint says that gas costs, in wei. */
const said = { first: usual, second: usual, asked: false };

beforeAll(async () => {
  devnet = await startChain({ relayers: 8, buyers: 6 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  second = await startRpcProxy(devnet.rpcUrl);
  proxy.react = (call) => xdcAt(call, said.first);
  second.react = (call) => {
    said.asked ||= call.method === "eth_gasPrice" && said.second > usual;
    return xdcAt(call, said.second);
  };
});
afterAll(async () => {
  await proxy?.stop();
  await second?.stop();
  await devnet?.stop();
});
afterEach(async () => {
  Object.assign(said, { first: usual, second: usual, asked: false });
  await devnet.rpc("evm_setAutomine", [true]);
  await devnet.mine();
  await served?.stop();
  proxy.reset();
});

/** More than any transaction of one payment has. */
const rawBytesMax = 2_000;

/** A node of XDC at a price: its headers have it as base fee, and cheaper transactions are refused. */
function xdcAt({ method, params }: NodeCall, price: bigint) {
  const hex = `0x${price.toString(16)}`;
  if (method === "eth_gasPrice") return { result: hex };
  if (method === "eth_getBlockByNumber") {
    return { rewrite: (block: unknown) => block && { ...Object(block), baseFeePerGas: hex } };
  }
  const [raw] = params;
  if (method !== "eth_sendRawTransaction" || !isHexBytes(raw, rawBytesMax)) return undefined;
  if (priceOf(raw) >= price) return undefined;
  return { error: { code: -32_000, message: "transaction underpriced: under min gas price" } };
}

function priceOf(raw: Hex): bigint {
  return BigInt(String(Rlp.toHex(raw)[1]));
}

const sentBytes = () =>
  proxy.calls
    .filter(({ method }) => method === "eth_sendRawTransaction")
    .flatMap(({ params: [raw] }) => (isHexBytes(raw, rawBytesMax) ? [raw] : []));

/** The prices of the transactions that were sent. */
const sentPrices = () => sentBytes().map((raw) => priceOf(raw) / gwei);

/** The step: the pool is swept, and from the next block on gas costs this much. */
async function stepTo(price: bigint): Promise<void> {
  Object.assign(said, { first: price, second: price });
  await devnet.rpc("anvil_dropAllTransactions", []);
}

const paymentOf = (buyer: number) => bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });

const settleAsync = async (at: Served, body: JsonObject) =>
  (await at.post("/settle", body, { prefer: "respond-async" })).body;

const pageOf = async (at: Served, { id }: JsonObject) =>
  (await at.get(`/settlements/${String(id)}`)).body;

const settle = async (at: Served, buyer: number) =>
  (await at.post("/settle", paymentOf(buyer))).body;

/** Makes blocks, one by one, until something is so. */
const untilBlocksShow = (look: () => unknown, wanted: unknown) =>
  expect
    .poll(
      async () => {
        await devnet.mine();
        return look();
      },
      { interval: 200 },
    )
    .toEqual(wanted);

test("fifty times the price: what was swept is sent again at once, and payments go on", async () => {
  served = await serveOn(devnet, { rpcUrl: proxy.url, wallets: [0] });
  const at = served;
  await devnet.rpc("evm_setAutomine", [false]);
  const swept = paymentOf(0);
  const answer = await settleAsync(at, swept);
  expect(answer).toMatchObject({ status: "pending", transaction: expect.stringMatching(/^0x/) });
  await stepTo(625n * gwei);
  await devnet.mine();
  // One block shows the price, and the next one has the payment.
  await untilBlocksShow(async () => (await pageOf(at, answer))["state"], "confirmed");
  const prices = sentPrices();
  expect([prices[0], prices.at(-1)]).toEqual([12n, 625n]);
  // It was not tried at prices between the two.
  expect(new Set(prices)).toEqual(new Set([12n, 625n]));
  expect(await usesOf(devnet, swept)).toHaveLength(1);

  await devnet.rpc("evm_setAutomine", [true]);
  expect((await at.post("/verify", paymentOf(1))).body).toMatchObject({ isValid: true });
  expect((await at.post("/settle", paymentOf(1))).body).toMatchObject({ success: true });
});

test("a payment that another sender made in a block that vanishes is priced again, and not cancelled", async () => {
  served = await serveOn(devnet, { rpcUrl: proxy.url, wallets: [5] });
  const at = served;
  await devnet.rpc("evm_setAutomine", [false]);
  const { react } = proxy;
  proxy.react = (call) => acceptAndForget(call) ?? react(call);
  const body = paymentOf(1);
  const answer = await settleAsync(at, body);
  const transaction = await frontRun(devnet, body);
  await expect.poll(() => pageOf(at, answer)).toMatchObject({ settledBy: "other" });
  await loseBlockOf(transaction);
  await expect.poll(() => pageOf(at, answer)).toMatchObject({ state: "submitted" });
  proxy.react = react;
  await stepTo(625n * gwei);
  await untilBlocksShow(async () => (await pageOf(at, answer))["settledBy"], "relayer");
  // With its first nonce, which no cancellation has used.
  expect(await countOf(devnet, at.relayer)).toBe(1);
  expect(await usesOf(devnet, body)).toHaveLength(1);
});

test("a replacement that is signed while its nonce is mined, and reorganised out, is sent all the same", async () => {
  const opened = await openStore(newDatabaseUrl());
  const closed = Promise.withResolvers<void>();
  const reopened = Promise.withResolvers<void>();
  let isReorganised = false;
  const store: ServiceStore = {
    ...opened,
    closeNonce: async (...parameters) => {
      await opened.closeNonce(...parameters);
      closed.resolve();
    },
    recordReorganised: (...parameters) => {
      isReorganised = true;
      return opened.recordReorganised(...parameters);
    },
    listOpenTransactions: async (...parameters) => {
      const open = await opened.listOpenTransactions(...parameters);
      if (isReorganised) reopened.resolve();
      return open;
    },
    recordSigned: async (lease, signed, now) => {
      const [first] = sentBytes();
      if (first && !isReorganised) {
        const hash = await devnet.rpc<string>("eth_sendRawTransaction", [first]);
        await devnet.mine();
        await closed.promise;
        await loseBlockOf(hash);
        await reopened.promise;
      }
      return opened.recordSigned(lease, signed, now);
    },
  };
  served = await serveOn(devnet, { rpcUrl: proxy.url, wallets: [6], store });
  const at = served;
  await devnet.rpc("evm_setAutomine", [false]);
  const body = paymentOf(2);
  const answer = await settleAsync(at, body);
  await stepTo(625n * gwei);
  await devnet.mine();
  await reopened.promise;
  await untilBlocksShow(async () => (await pageOf(at, answer))["state"], "confirmed");
  expect(sentPrices().at(-1)).toBe(625n);
  expect(await usesOf(devnet, body)).toHaveLength(1);
});

/** The node says that it has a transaction, and forgets it. */
function acceptAndForget({ method, params: [raw] }: NodeCall) {
  if (method !== "eth_sendRawTransaction" || !isHexBytes(raw, rawBytesMax)) return undefined;
  return { result: Hash.keccak256(raw) };
}

/** A transaction's block and all after it vanish; an empty one takes their place. */
async function loseBlockOf(hash: string): Promise<void> {
  const receipt = await devnet.rpc<{ blockNumber: Hex }>("eth_getTransactionReceipt", [hash]);
  const head = await devnet.rpc<Hex>("eth_blockNumber");
  await devnet.rpc("anvil_reorg", [Number(head) - Number(receipt.blockNumber) + 1, []]);
  // Not `devnet.mine`: its `anvil_mine` can hang the node right after a reorganisation.
  await devnet.rpc("evm_mine");
}

test("above the bounds: each surface is 503 with a code before a claim, and says so in /ready", async () => {
  served = await serveOn(devnet, { rpcUrl: proxy.url, wallets: [1], selfBuilt: false });
  const at = served;
  await stepTo(2_000n * gwei);
  const isReady = async () => (await at.get("/ready")).status;
  // A service at rest reads the head now and then; a question wakes it.
  const statusOfVerify = async () =>
    (await at.post("/api/facilitator/verify", paymentOf(2))).status;
  await untilBlocksShow(statusOfVerify, 503);
  for (const path of ["/verify", "/settle"]) {
    const { status, headers, body } = await at.post(`/api/facilitator${path}`, paymentOf(2));
    expect([status, headers.get("retry-after")]).toEqual([503, "60"]);
    expect(body).toMatchObject({
      error: "gas_price_too_high",
      message: expect.stringMatching(/gas price is above .* nothing was claimed/),
      retryable: true,
    });
  }
  expect(await isReady()).toBe(503);
  expect(JSON.stringify((await at.get("/ready")).body)).toMatch(
    /gas price is 2000 gwei.*FARTHING_GAS_PER_PAYMENT_MAX, 0\.5 XDC/,
  );
  expect((await at.get("/v1/status")).body).toMatchObject({
    networks: [{ isGasPricePaid: false, queued: 0, inFlight: 0 }],
  });
  expect(proxy.countOf("eth_sendRawTransaction")).toBe(0);

  await stepTo(usual);
  await untilBlocksShow(isReady, 200);
  const settled = await at.post("/api/facilitator/settle", paymentOf(2));
  expect(settled.body).toMatchObject({ success: true });
});

test("what was claimed waits without a hash that no node took, and is sent when the price allows", async () => {
  served = await serveOn(devnet, { rpcUrl: proxy.url, wallets: [2] });
  const at = served;
  // The node refuses before its newest block shows the price.
  const { react } = proxy;
  proxy.react = (call) =>
    call.method === "eth_sendRawTransaction" ? xdcAt(call, 2_000n * gwei) : react(call);
  const body = paymentOf(3);
  const answer = await settleAsync(at, body);
  expect(answer).toMatchObject({ status: "pending", success: false, transaction: "" });
  proxy.react = react;
  await stepTo(2_000n * gwei);
  await devnet.mine();
  await expect.poll(async () => (await at.get("/ready")).status).toBe(503);
  expect(await pageOf(at, answer)).toMatchObject({ status: "pending", transaction: "" });
  // A repeat is told the same, and not that it failed.
  const repeated = await at.post("/settle", body, { prefer: "wait=0" });
  expect(repeated.body).toMatchObject({ success: false, transaction: "" });

  await stepTo(625n * gwei);
  await untilBlocksShow(async () => (await pageOf(at, answer))["state"], "confirmed");
  expect(await usesOf(devnet, body)).toHaveLength(1);
});

test("one endpoint alone cannot spend more than the budget of a day; a second one vouches for the price", async () => {
  const env = { FARTHING_GAS_ABOVE_PER_DAY: "0.05" };
  served = await serveOn(devnet, { rpcUrl: proxy.url, wallets: [3], env });
  await stepTo(625n * gwei);
  await untilBlocksShow(() => priceAfterQuestion(served), 625);
  expect(await settle(served, 4)).toMatchObject({ success: true });
  expect(await settle(served, 5)).toMatchObject({ error: "gas_price_too_high" });
  const { body } = await served.get("/ready");
  expect(JSON.stringify(body)).toMatch(/only one RPC endpoint reports.*FARTHING_GAS_ABOVE_PER_DAY/);
  await served.stop();

  const urls = `${proxy.url},${second.url}`;
  const at = (served = await serveOn(devnet, { rpcUrl: urls, wallets: [4], env }));
  await untilBlocksShow(() => priceAfterQuestion(at), 625);
  // Asked within a second after a block has shown the price.
  await expect.poll(() => said.asked).toBe(true);
  for (const buyer of [5, 0]) expect(await settle(at, buyer)).toMatchObject({ success: true });
});

/** The price in gwei that transactions pay; a question before wakes a service at rest. */
async function priceAfterQuestion(at: Served | undefined): Promise<unknown> {
  await at?.post("/verify", paymentOf(1));
  const { networks } = Object((await at?.get("/v1/status"))?.body);
  return Array.isArray(networks) ? memberAt(Object(networks[0]), "gasPriceGwei") : undefined;
}
