/**
 * A payment that comes after its time: if somebody else has submitted it meanwhile, the answer says
 * so and names the transaction; if nobody has, it is refused without looking through the chain.
 */
import type { Devnet } from "@farthing/devnet";
import { networkOfChain, parsePaymentRequest, type Hex, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createChain, createRpcEndpoint, authorizationKeyOf } from "@farthing/engine";
import {
  createRefuseUsed,
  waitingSearchesMax,
} from "@farthing/engine/source/verification/earlier-use";
import { Secret, silentLog, systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  byContract,
  createSteeredClock,
  frontRun,
  secondsFromNow,
  serveOn,
  startChain,
  walletAt,
  type Served,
  type PaymentInput,
} from "../support/facilitator.testing.ts";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;
const clock = createSteeredClock();
beforeAll(async () => {
  devnet = await startChain({ buyers: 12 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  served = await serveOn(devnet, { rpcUrl: proxy.url, clock });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});
beforeEach(() => proxy.reset());

/** How long payments here are valid, in seconds; longer than any test takes to submit one. */
const validSeconds = 60;

/** Unix seconds by the service's clock. */
const validBefore = () => secondsFromNow(clock.aheadMs / 1_000 + validSeconds);

const bodyWith = (input: PaymentInput = {}) =>
  bodyOn(devnet, { ...input, authorization: { validBefore: validBefore() } });

/** Lets the time of what was signed so far run out, by our clock and by that of the chain. */
async function expire(): Promise<void> {
  clock.aheadMs += validSeconds * 1_000;
  await devnet.setNextBlockTimestamp(Number(secondsFromNow(clock.aheadMs / 1_000)) + 1);
  await devnet.mine();
}

/** Searches through the chain; reading a new block is none. */
const searches = () =>
  proxy.calls.filter(
    ({ method, params }) => method === "eth_getLogs" && "fromBlock" in Object(params[0]),
  ).length;

async function expectNamed(body: JsonObject, hash: string): Promise<void> {
  const { body: verified } = await served.post("/verify", body);
  expect(verified).toMatchObject({
    isValid: false,
    invalidReason: "already_settled",
    invalidMessage: expect.stringContaining(hash),
  });
  const { body: answer } = await served.post("/settle", body);
  expect(answer).toMatchObject({
    success: false,
    errorReason: "already_settled",
    errorMessage: expect.stringContaining(hash),
    transaction: hash,
  });
}

async function expectExpired(body: JsonObject): Promise<void> {
  const { body: verified } = await served.post("/verify", body);
  expect(verified).toMatchObject({ isValid: false, invalidReason: "authorization_expired" });
  const { body: answer } = await served.post("/settle", body);
  expect(answer).toMatchObject({
    success: false,
    errorReason: "authorization_expired",
    transaction: "",
    extra: { x402Reason: "invalid_exact_evm_payload_authorization_valid_before" },
  });
}

const payer = () => walletAt(devnet.buyers, 0).address;

describe("submitted by a third party, and asked for while the token refuses every transfer of it", () => {
  test.each([
    ["the token is paused", () => devnet.usdc.pause(), () => devnet.usdc.unpause()],
    [
      "the payer is blacklisted",
      () => devnet.usdc.blacklist(payer()),
      () => devnet.usdc.unBlacklist(payer()),
    ],
  ] as const)("%s: it is told as paid", async (_, refuse, restore) => {
    const body = bodyWith();
    const hash = await frontRun(devnet, body);
    await refuse();
    onTestFinished(() => restore());
    await expectNamed(body, hash);
  });
});

describe("submitted by somebody else in time, and first asked for too late", () => {
  test("is told with the transaction, and searched for once", async () => {
    const body = bodyWith();
    const hash = await frontRun(devnet, body);
    await expire();
    await expectNamed(body, hash);
    const once = searches();
    expect(once).toBeGreaterThan(0);
    await expectNamed(body, hash);
    expect(searches()).toBe(once);
  });

  test("in a block that vanished: by the transaction that came in its place", async () => {
    const body = bodyWith();
    const lost = await frontRun(devnet, body);
    await expectNamed(body, lost);
    // Its own block, and the one that was made after it.
    await devnet.rpc("anvil_reorg", [2, []]);
    await frontRun(devnet, bodyWith());
    const hash = await frontRun(devnet, body);
    expect(hash).not.toBe(lost);
    clock.aheadMs += 30_000;
    await expectNamed(body, hash);
    await expire();
  });

  test("by a contract wallet", async () => {
    const body = byContract(devnet, { authorization: { validBefore: validBefore() } });
    const hash = await frontRun(devnet, body);
    await expire();
    await expectNamed(body, hash);
  });

  test("when it is too late to settle, and not yet expired", async () => {
    const body = bodyWith();
    const hash = await frontRun(devnet, body);
    clock.aheadMs += (validSeconds - 4) * 1_000;
    await expectNamed(body, hash);
  });

  test("in a block that is past its time, while our clock is not", async () => {
    const body = bodyWith();
    const hash = await frontRun(devnet, body);
    await devnet.setNextBlockTimestamp(Number(validBefore()) + 1);
    await devnet.mine();
    await expectNamed(body, hash);
    await expire();
  });
});

test("claimed here, and its block not seen yet: it is being settled, and no new one is asked for", async () => {
  await devnet.rpc("evm_setAutomine", [false]);
  onTestFinished(() => devnet.rpc("evm_setAutomine", [true]));
  const end = secondsFromNow(clock.aheadMs / 1_000 + 8);
  const body = bodyOn(devnet, { authorization: { validBefore: end } });
  const { body: pending } = await served.post("/settle", body, { prefer: "respond-async" });
  expect(pending).toMatchObject({ status: "pending" });
  clock.aheadMs += 4_000;
  await expect.poll(() => secondsFromNow(clock.aheadMs / 1_000) > end).toBe(true);
  expect((await served.post("/verify", body)).body).toMatchObject({
    isValid: false,
    invalidReason: "nonce_already_used",
    invalidMessage: expect.stringMatching(/is being settled .*ask \/settle again/),
  });
  // The block comes too late for it, so it has failed, and is expired.
  await expire();
  const afterBlock = () => devnet.mine().then(() => served.post("/verify", body));
  await expect.poll(afterBlock).toMatchObject({ body: { invalidReason: "authorization_expired" } });
});

describe("refused without a search", () => {
  test("submitted by nobody", async () => {
    const body = bodyWith();
    await expire();
    await expectExpired(body);
    expect(searches()).toBe(0);
  });

  test("submitted, and now shown with a signature that is none", async () => {
    const body = bodyWith();
    await frontRun(devnet, body);
    await expire();
    const { paymentPayload } = body;
    const { authorization } = Object(paymentPayload).payload;
    const payload = { signature: `0x${"12".repeat(65)}`, authorization };
    await expectExpired({ ...body, paymentPayload: { ...Object(paymentPayload), payload } });
    expect(searches()).toBe(0);
  });
});

test("by a clock that runs ahead, before blocks have shown it: unknown, and then valid", async () => {
  const chain = await startChain();
  onTestFinished(() => chain.stop());
  const fast = createSteeredClock();
  fast.aheadMs = 90_000;
  const early = await serveOn(chain, { clock: fast });
  onTestFinished(() => early.stop());
  const validBefore = secondsFromNow(80);
  const body = bodyOn(chain, { authorization: { validBefore } });
  expect(await early.post("/verify", body)).toMatchObject({
    status: 503,
    body: { error: "service_unavailable" },
  });
  // One that the chain also calls expired is refused all the same.
  const over = bodyOn(chain, { authorization: { validBefore: secondsFromNow(-60) } });
  expect((await early.post("/verify", over)).body).toMatchObject({
    invalidReason: "authorization_expired",
  });
  await expect
    .poll(async () => {
      await chain.mine();
      return (await early.post("/verify", body)).body;
    })
    .toMatchObject({ isValid: true });
});

test("by a clock that is behind, before blocks have shown it: unknown, and not one that is not valid yet", async () => {
  const chain = await startChain();
  onTestFinished(() => chain.stop());
  const behind = createSteeredClock();
  behind.aheadMs = -90_000;
  const early = await serveOn(chain, { clock: behind });
  onTestFinished(() => early.stop());
  const body = bodyOn(chain, { authorization: { validAfter: secondsFromNow(-60) } });
  expect(await early.post("/verify", body)).toMatchObject({
    status: 503,
    body: { error: "service_unavailable" },
  });
  const afterBlock = () => chain.mine().then(() => early.post("/verify", body));
  await expect.poll(afterBlock).toMatchObject({ body: { isValid: true } });
});

test("by a clock that is put right while the chain is asked: unknown, and then valid", async () => {
  const chain = await startChain();
  onTestFinished(() => chain.stop());
  const slow = await startRpcProxy(chain.rpcUrl);
  onTestFinished(() => slow.stop());
  const fast = createSteeredClock();
  fast.aheadMs = 90_000;
  const early = await serveOn(chain, { clock: fast, rpcUrl: slow.url });
  onTestFinished(() => early.stop());
  slow.react = ({ method }) => {
    if (method === "eth_call") fast.aheadMs = 0;
    return undefined;
  };
  const body = bodyOn(chain, { authorization: { validBefore: secondsFromNow(80) } });
  expect(await early.post("/verify", body)).toMatchObject({ status: 503 });
  expect(fast.aheadMs).toBe(0);
  expect((await early.post("/verify", body)).body).toMatchObject({ isValid: true });
});

test("many at once: two are searched for, the others wait, and beyond the line they are told to ask again", async () => {
  const endpoints = [createRpcEndpoint({ url: new Secret(proxy.url), index: 0 })];
  const network = networkOfChain(devnet.chainId);
  const chain = createChain({ network, endpoints, log: silentLog });
  const head = await devnet.rpc<{ number: Hex; hash: Hex; timestamp: Hex }>(
    "eth_getBlockByNumber",
    ["latest", false],
  );
  const block = { number: Number(head.number), time: BigInt(head.timestamp) };
  const view = () => ({
    head: { ...block, hash: head.hash, parentHash: head.hash },
    finalized: block,
    gasPrice: 0n,
    wallets: new Map<string, never>(),
    seenSecondsAgo: 0,
    walkedTo: 1,
  });
  const refuseUsed = createRefuseUsed({ clock: systemClock, networkOf: () => ({ chain, view }) });
  // Used before all blocks that are searched, says the token.
  const yes = `0x${"1".padStart(64, "0")}`;
  proxy.react = ({ method }) => (method === "eth_call" ? { result: yes } : undefined);
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.gate = promise;
  const begun = 2 + waitingSearchesMax;
  const asked = Array.from({ length: begun + 3 }, () => {
    const parsed = parsePaymentRequest(bodyWith());
    if (!parsed.ok) throw new Error(parsed.refusal.message);
    return refuseUsed(authorizationKeyOf(parsed.value), parsed.value);
  });
  for (const one of asked.slice(begun)) {
    await expect(one).rejects.toMatchObject({
      code: "queue_full",
      message: expect.stringMatching(/told a moment later: ask again/),
    });
  }
  expect(searches()).toBeLessThanOrEqual(2);
  proxy.gate = undefined;
  resolve();
  for (const { refusal } of await Promise.all(asked.slice(0, begun))) {
    expect([refusal.code, refusal.message]).toEqual([
      "nonce_already_used",
      expect.stringMatching(/Look for it at the payee before you sign another one\.$/),
    ]);
  }
  // Each once backwards, and once up to the block in whose state it is used.
  expect(searches()).toBe(2 * begun);

  // What expired before all blocks that are searched cannot be found in them.
  const parsed = parsePaymentRequest(bodyOn(devnet, { authorization: { validBefore: 1n } }));
  if (!parsed.ok) throw new Error(parsed.refusal.message);
  await refuseUsed(authorizationKeyOf(parsed.value), parsed.value);
  expect(searches()).toBe(2 * begun);
});
