/**
 * What happens between claim and block: somebody else submits the authorization first, or the
 * window closes. Blocks are made by the test, so that each thing happens when it should.
 */
import type { Devnet } from "@farthing/devnet";
import type { Address, Hex, JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  countOf,
  createSteeredClock,
  finalAfterBlocks,
  frontRun,
  newDatabaseUrl,
  oneCent,
  payerAndNonceOf,
  secondsFromNow,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let proxy: RpcProxy;
let store: ServiceStore;
let served: Served;

/** Runs once, right before the next nonce is taken. */
let beforeNonce: (() => Promise<void>) | undefined;
const clock = createSteeredClock();

/** Transactions on their way that make a wallet full. */
const laneInFlight = 3;

beforeAll(async () => {
  devnet = await startChain();
  proxy = await startRpcProxy(devnet.rpcUrl);
  const databaseUrl = newDatabaseUrl();
  const opened = await openStore(databaseUrl);
  store = {
    ...opened,
    reserveTransactions: async (...parameters) => {
      const hook = beforeNonce;
      beforeNonce = undefined;
      await hook?.();
      return opened.reserveTransactions(...parameters);
    },
  };
  const env = { FARTHING_LANE_IN_FLIGHT: String(laneInFlight) };
  served = await serveOn(devnet, { rpcUrl: proxy.url, databaseUrl, store, clock, env });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});
afterEach(async () => {
  proxy.react = () => undefined;
  proxy.step = undefined;
  await automine(true);
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
const page = async (id: unknown) => (await served.get(`/settlements/${String(id)}?wait=20`)).body;
const async = { prefer: "respond-async" };

async function expectPaidByOther(body: JsonObject, hash: string, answer: JsonObject) {
  const shown = await page(answer["id"]);
  expect(shown).toMatchObject({
    status: "confirmed",
    success: true,
    transaction: hash,
    settledBy: "other",
  });
  expect(await usesOf(devnet, body)).toEqual([hash]);
  expect((await served.post("/settle", body)).body).toMatchObject({
    success: true,
    id: answer["id"],
    transaction: hash,
    extra: { settledBy: "other" },
  });
}

describe("somebody else submits the authorization after the claim: paid, by his transaction", () => {
  test("before our nonce is taken", async () => {
    const body = bodyOn(devnet);
    let hash = "";
    beforeNonce = async () => void (hash = await frontRun(devnet, body));
    const { body: answer } = await served.post("/settle", body);
    await expectPaidByOther(body, hash, answer);
  });

  test("while it waits for a wallet with room: nothing of ours is sent", async () => {
    await automine(false);
    const others = Array.from({ length: laneInFlight }, () => bodyOn(devnet));
    // One after the other: what waits together would go out in one transaction.
    for (const other of others) await served.post("/settle", other, async);
    const before = await countOf(devnet, served.relayer);
    const body = bodyOn(devnet);
    const { body: answer } = await served.post("/settle", body, async);
    expect(answer).toMatchObject({ status: "pending", transaction: "" });
    await expectPaidByOther(body, await frontRun(devnet, body), answer);
    for (const other of others) {
      expect((await served.post("/settle", other)).body).toMatchObject({ success: true });
    }
    expect(await countOf(devnet, served.relayer)).toBe(before);
  });

  test("and the simulation hears of it before any block is read", async () => {
    const { body, answer } = await settleLater();
    proxy.react = ({ method }) => (method === "eth_getBlockByNumber" ? "down" : undefined);
    const hash = await frontRun(devnet, body);
    clock.aheadMs += 10_000;
    await expectPaidByOther(body, hash, answer);
  });

  test("and the node has no log of it yet: pending, until it has", async () => {
    const { body, answer } = await settleLater();
    proxy.react = ({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined);
    const hash = await frontRun(devnet, body);
    proxy.reset();
    clock.aheadMs += 10_000;
    await untilDecided();
    expect(await state(answer["id"])).toBe("queued");
    proxy.react = () => undefined;
    await expectPaidByOther(body, hash, answer);
  });

  test("and neither block nor log of it is read yet: pending, until they are", async () => {
    const { body, answer } = await settleLater();
    proxy.react = ({ method }) => {
      if (method === "eth_getLogs") return { result: [] };
      return method === "eth_getBlockByNumber" ? "down" : undefined;
    };
    const hash = await frontRun(devnet, body);
    proxy.reset();
    clock.aheadMs += 10_000;
    await untilDecided();
    expect(await state(answer["id"])).toBe("queued");
    proxy.react = () => undefined;
    await expectPaidByOther(body, hash, answer);
  });

  test("and ours is reverted before the node has a log: pending, until it has", async () => {
    await automine(false);
    const body = bodyOn(devnet);
    const { body: answer } = await served.post("/settle", body, async);
    proxy.react = ({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined);
    proxy.reset();
    const hash = await frontRun(devnet, body);
    await devnet.mine(finalAfterBlocks);
    await untilDecided();
    expect(await state(answer["id"])).toBe("submitted");
    proxy.react = () => undefined;
    await devnet.mine();
    await expectPaidByOther(body, hash, answer);
  });

  test("while ours waits for its block", async () => {
    await automine(false);
    const body = bodyOn(devnet);
    const { body: answer } = await served.post("/settle", body, async);
    expect(answer).toMatchObject({ status: "pending", transaction: expect.stringMatching(/^0x/) });
    const hash = await frontRun(devnet, body);
    expect(hash).not.toBe(answer["transaction"]);
    await expectPaidByOther(body, hash, answer);
  });

  test("and while a node keeps the sending of ours: told with its block", async () => {
    await automine(false);
    const released = Promise.withResolvers<void>();
    proxy.step = async (side, calls) => {
      const isSend = calls.some(({ method }) => method === "eth_sendRawTransaction");
      if (side === "before" && isSend) await released.promise;
    };
    const body = bodyOn(devnet);
    const { body: answer } = await served.post("/settle", body, async);
    proxy.reset();
    await devnet.mine();
    await expect.poll(() => proxy.countOf("eth_getLogs")).toBe(1);
    await frontRun(devnet, body);
    // Sooner than the sending is given up, which takes 10 s.
    await expect.poll(() => state(answer["id"])).toBe("confirmed");
    released.resolve();
  });

  test("and the next payment is not held up by the transaction that lost", async () => {
    const { body } = await served.post("/settle", bodyOn(devnet));
    expect(body).toMatchObject({ success: true });
    expect(await countOf(devnet, served.relayer)).toBe(
      Number(await devnet.rpc<Hex>("eth_getTransactionCount", [served.relayer, "latest"])),
    );
  });
});

test.each([
  ["to somebody else", () => ({ to: devnet.treasury.address })],
  ["of another amount", () => ({ value: oneCent - 1n })],
])("the payer's other transfer %s takes the nonce: failed, and it is named", async (_, other) => {
  await automine(false);
  const body = bodyOn(devnet);
  const { body: answer } = await served.post("/settle", body, async);
  expect(answer).toMatchObject({ status: "pending", transaction: expect.stringMatching(/^0x/) });
  const { nonce } = payerAndNonceOf(body);
  const hash = await frontRun(devnet, bodyOn(devnet, { authorization: { nonce, ...other() } }));
  await devnet.mine(finalAfterBlocks);
  expect(await page(answer["id"])).toMatchObject({
    status: "failed",
    errorReason: "nonce_already_used",
    errorMessage: expect.stringMatching(
      /this nonce for another transfer, transaction 0x[0-9a-f]{64};/,
    ),
    transaction: hash,
    settledBy: null,
  });
});

test("submitted by somebody else before we ever saw it: refused, and his hash is named", async () => {
  const body = bodyOn(devnet);
  const hash = await frontRun(devnet, body);
  expect((await served.post("/verify", body)).body).toMatchObject({
    isValid: false,
    invalidReason: "already_settled",
  });
  const { body: answer } = await served.post("/settle", body);
  expect(answer).toMatchObject({
    success: false,
    errorReason: "already_settled",
    errorMessage: expect.stringContaining(hash),
    transaction: hash,
  });
});

test.each([
  ["the token is paused", () => devnet.usdc.pause(), () => devnet.usdc.unpause()],
  [
    "its payer is blocked",
    (payer: Address) => devnet.usdc.blacklist(payer),
    (payer: Address) => devnet.usdc.unBlacklist(payer),
  ],
  [
    "its payee is blocked",
    () => devnet.usdc.blacklist(devnet.seller.address),
    () => devnet.usdc.unBlacklist(devnet.seller.address),
  ],
])("submitted by somebody else, and now %s: paid all the same", async (_, stop, end) => {
  const payer = walletAt(devnet.buyers, 2);
  const body = bodyOn(devnet, { payer });
  const hash = await frontRun(devnet, body);
  await stop(payer.address);
  try {
    expect((await served.post("/verify", body)).body).toMatchObject({
      invalidReason: "already_settled",
    });
    expect((await served.post("/settle", body)).body).toMatchObject({
      errorReason: "already_settled",
      transaction: hash,
    });
    // What was not used is refused for what stands in its way.
    const { invalidReason } = (await served.post("/verify", bodyOn(devnet, { payer }))).body;
    expect(invalidReason).toMatch(/^(token_paused|payer_blocked|payee_blocked)$/);
  } finally {
    await end(payer.address);
  }
});

test("submitted by somebody else, and the node has no log of it yet: unknown, until it has", async () => {
  const body = bodyOn(devnet);
  const hash = await frontRun(devnet, body);
  proxy.react = ({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined);
  for (const path of ["/verify", "/settle"]) {
    const { status, body: answer } = await served.post(path, body);
    expect({ status, answer }).toMatchObject({
      status: 503,
      answer: {
        error: "service_unavailable",
        message: expect.stringMatching(/try again shortly with the same payment/),
      },
    });
  }
  proxy.react = () => undefined;
  expect((await served.post("/settle", body)).body).toMatchObject({
    errorReason: "already_settled",
    transaction: hash,
  });
});

test("a window that closes before a nonce is taken: expired once a final block is past it", async () => {
  // Of its own, and without a block: after three, the chain's time would count and not the clock's.
  const chain = await startChain();
  onTestFinished(() => chain.stop());
  const own = createSteeredClock();
  const databaseUrl = newDatabaseUrl();
  const opened = await openStore(databaseUrl);
  const lateStore: ServiceStore = {
    ...opened,
    // Before it is stored: afterwards any wallet may take it up.
    claimSettlements: async (...parameters) => {
      own.aheadMs = 58_000;
      return opened.claimSettlements(...parameters);
    },
  };
  const late = await serveOn(chain, { databaseUrl, store: lateStore, clock: own });
  onTestFinished(late.stop);
  const validBefore = secondsFromNow(60);
  const body = bodyOn(chain, { authorization: { validBefore } });
  const { body: answer } = await late.post("/settle", body, async);
  expect(answer).toMatchObject({ status: "pending", transaction: "" });
  const path = `/settlements/${String(answer["id"])}`;
  // Our clock alone says nothing about the money: it is the block's time that counts.
  expect((await late.get(path)).body["state"]).toBe("queued");
  await chain.setNextBlockTimestamp(Number(validBefore));
  await chain.mine(finalAfterBlocks);
  expect((await late.get(`${path}?wait=20`)).body).toMatchObject({
    status: "failed",
    errorReason: "authorization_expired",
    errorMessage: expect.stringMatching(/before it was mined; sign a new one/),
    transaction: "",
  });
  expect(await countOf(chain, late.relayer)).toBe(0);
});

/** Tells whether the token and its logs were asked what became of a payment. */
const wereAsked = () => [proxy.countOf("eth_call"), proxy.countOf("eth_getLogs")].every(Boolean);

const untilDecided = () => expect.poll(wereAsked).toBe(true);

/** Claims a payment whose window is about to open: it waits, and is simulated again before it is sent. */
async function settleLater() {
  const validAfter = secondsFromNow(clock.aheadMs / 1_000);
  const body = bodyOn(devnet, { authorization: { validAfter } });
  const { body: answer } = await served.post("/settle", body, async);
  expect(answer).toMatchObject({ status: "pending", transaction: "" });
  // The token compares the window with the time of the block.
  await devnet.setNextBlockTimestamp(Number(validAfter) + 1);
  return { body, answer };
}

const state = async (id: unknown) => (await served.get(`/settlements/${String(id)}`)).body["state"];

test("a payment that failed and is submitted by somebody else later: paid after all", async () => {
  await automine(false);
  const payer = walletAt(devnet.buyers, 3);
  const body = bodyOn(devnet, { payer });
  const { body: answer } = await served.post("/settle", body, async);
  await devnet.usdc.setBalance(payer.address, 0n);
  await devnet.mine(finalAfterBlocks);
  await expect.poll(() => page(answer["id"])).toMatchObject({ errorReason: "insufficient_funds" });
  await devnet.usdc.setBalance(payer.address, oneCent);
  const hash = await frontRun(devnet, body);
  expect(await usesOf(devnet, body)).toEqual([hash]);
  await expect
    .poll(async () => (await served.post("/settle", body)).body)
    .toMatchObject({ success: true, transaction: hash });
});
