/** Refunds over HTTP on a real chain: by key and by session, in parts, and what is refused. */
import type { Devnet } from "@farthing/devnet";
import { networkOfChain, refundNonce, type Address, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "@farthing/engine/base";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";
import { mineToFinal } from "../../src/features/purchases/purchases.testing.ts";
import { newAttestationKey, readJws } from "../support/attestation-keys.testing.ts";
import { openSignedIn, type Browser } from "../support/browser.testing.ts";
import { claimOf, minedIn } from "../stores/store-values.testing.ts";
import { holdAnswers, readContract } from "../support/openapi.testing.ts";
import {
  bodyOn,
  byContract,
  finalAfterBlocks,
  frontRun,
  hexAt,
  newDatabaseUrl,
  oneCent,
  payerAndNonceOf,
  secondsFromNow,
  serveOn,
  startChain,
  textAt,
  walletAt,
  withMember,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import { createRefunds, type Paid } from "../support/refunds.testing.ts";

let devnet: Devnet;
let served: Served;
let store: ServiceStore;
let seller: Browser;
let key: Record<string, string>;
let letGo: () => void;

/** Credits of each account before its first settlement. */
const creditsAtFirst = 1_000;

beforeAll(async () => {
  devnet = await startChain({ buyers: 4 });
  const databaseUrl = newDatabaseUrl();
  store = await openStore(databaseUrl);
  key = await keyOf(devnet.seller.address);
  served = await serveOn(devnet, {
    selfBuilt: false,
    databaseUrl,
    env: {
      FARTHING_MIN_AMOUNT: "0.001",
      FARTHING_CREDITS_PER_SETTLEMENT: "1",
      FARTHING_ATTESTATION_KEYS: newAttestationKey().signing,
      FARTHING_SETTLE_ATTESTATION: "no",
    },
  });
  seller = await openSignedIn(served, { wallet: devnet.seller });
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  await store?.close();
  await served?.stop();
  await devnet?.stop();
});

async function keyOf(account: Address, of = store, mode: "test" | "live" = "test") {
  const made = await createApiKey(of, systemClock, { account, mode, label: "t" });
  const terms = { account, credits: creditsAtFirst, actor: "t", note: null };
  await of.grantCredits({ ...terms, kind: "grant" }, 1);
  return { authorization: `Bearer ${made.text}` };
}

/** A payment of one cent to the seller, final unless told otherwise. */
async function pay(
  options: {
    readonly body?: JsonObject;
    readonly by?: typeof key;
    readonly isFinal?: boolean;
  } = {},
): Promise<Paid> {
  const { body = bodyOn(devnet), by = key, isFinal = true } = options;
  const settled = await served.post("/settle", body, { ...by, prefer: "wait=20" });
  expect(settled.body).toMatchObject({ status: "confirmed" });
  const id = textAt(settled.body, "id");
  if (isFinal) await finalize(id, by);
  const read = await served.get(`/settlements/${id}`, by);
  const { payer } = payerAndNonceOf(body);
  return {
    id,
    payer,
    payTo: hexAt(read.body, "payTo"),
    amount: BigInt(textAt(read.body, "amount")),
    body,
  };
}

/** Mines until the service has recorded that a settlement is final. */
async function finalize(id: string, by = key): Promise<void> {
  await mineToFinal(devnet);
  const finalizedAt = async () => (await served.get(`/settlements/${id}`, by)).body["finalizedAt"];
  await expect.poll(finalizedAt).not.toBeNull();
}

const { authorizationOf, refundBody } = createRefunds(() => devnet);

function refund(body: JsonObject, headers: Record<string, string> = key): Promise<Answer> {
  return served.post("/v1/refunds", body, { ...headers, prefer: "wait=20" });
}

async function read(id: unknown): Promise<JsonObject> {
  return (await served.get(`/settlements/${String(id)}`, key)).body;
}

/** What the service attests of a settlement. */
async function readAttested(id: unknown): Promise<JsonObject> {
  const { body } = await served.get(`/settlements/${String(id)}/attestation`, key);
  const { body: keySet } = await served.get("/.well-known/jwks.json");
  return readJws(textAt(body, "signature"), keySet).payload;
}

async function expectRefused(
  body: JsonObject,
  ...[errorReason, says, transaction = ""]: readonly [string, RegExp, unknown?]
): Promise<void> {
  const answer = await refund(body);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    success: false,
    errorReason,
    errorMessage: expect.stringMatching(says),
    transaction,
  });
  expect(answer.body).not.toHaveProperty("id");
}

test("all of it goes back, once: it is a settlement of its own, and the payment shows it", async () => {
  const paid = await pay();
  const before = await devnet.usdc.balanceOf(paid.payer);
  const body = refundBody(paid, 0);
  const refunded = await refund(body);
  expect(refunded.body).toMatchObject({
    status: "confirmed",
    success: true,
    payer: paid.payTo,
    amount: oneCent.toString(),
    refundOf: paid.id,
  });
  expect(await devnet.usdc.balanceOf(paid.payer)).toBe(before + oneCent);
  const { id, transaction } = refunded.body;
  expect(await read(paid.id)).toMatchObject({
    refundOf: null,
    refundedAmount: oneCent.toString(),
    refunds: [
      { id, ordinal: 0, state: "confirmed", amount: "10000", transaction, finalized: false },
    ],
  });
  expect(await read(id)).toMatchObject({ refundOf: paid.id, refunds: [], refundedAmount: "0" });
  expect(await readAttested(id)).toMatchObject({ refundOf: paid.id, transaction });
  expect(await readAttested(paid.id)).not.toHaveProperty("refundOf");
  const again = await refund(body);
  expect(again.body).toMatchObject({ id, transaction, extra: { replayed: true } });
  await expectRefused(refundBody(paid, 1), "refund_exceeds_payment", /0 base units/);
  expect(await devnet.usdc.balanceOf(paid.payer)).toBe(before + oneCent);
});

test("in three parts, and no fourth; each costs what a settlement costs", async () => {
  const paid = await pay();
  const { available: before } = await store.findCredits(devnet.seller.address);
  await expectRefused(refundBody(paid, 0, { value: 999n }), "amount_below_minimum", /1000 base/);
  await expectRefused(refundBody(paid, 0, { value: 0n }), "amount_below_minimum", /1000 base/);
  await expectRefused(refundBody(paid, 0, { value: 10_001n }), "refund_exceeds_payment", /10000/);
  for (const [ordinal, value] of [9_000n, 500n].entries()) {
    const body = refundBody(paid, ordinal, { value });
    if (value < 1_000n) await expectRefused(body, "amount_below_minimum", /or all 1000/);
    else expect((await refund(body)).body).toMatchObject({ status: "confirmed" });
  }
  expect((await refund(refundBody(paid, 1, { value: 1_000n }))).body).toMatchObject({
    status: "confirmed",
  });
  const { available: after } = await store.findCredits(devnet.seller.address);
  expect(after).toBe(before - 2);
  const parts = await pay();
  for (const ordinal of [0, 1, 2]) {
    const { body } = await refund(refundBody(parts, ordinal, { value: 1_000n }));
    expect(body).toMatchObject({ status: "confirmed" });
  }
  await expectRefused(
    refundBody(parts, 3, { value: 1_000n }),
    "refund_limit_reached",
    /as one may/,
  );
});

test("twenty at once: the payment goes back once", async () => {
  const paid = await pay();
  const before = await devnet.usdc.balanceOf(paid.payer);
  const bodies = Array.from({ length: 20 }, (_, index) => {
    return refundBody(paid, index % 2, { validBefore: secondsFromNow(3_600 + index) });
  });
  const answers = await Promise.all(bodies.map((body) => refund(body)));
  expect(answers.filter(({ body }) => body["success"] === true)).toHaveLength(1);
  expect(await devnet.usdc.balanceOf(paid.payer)).toBe(before + oneCent);
});

test("only from the payee to the payer, with the next nonce, of a final payment", async () => {
  const early = await pay({ isFinal: false });
  await expectRefused(refundBody(early, 0), "settlement_not_refundable", /final/);
  const stranger = walletAt(devnet.buyers, 3);
  const paid = await pay();
  await expectRefused(refundBody(paid, 1), "refund_mismatch", /ordinal 0 and the nonce 0x/);
  await expectRefused(
    refundBody(paid, 0, { to: stranger.address }),
    "refund_mismatch",
    /goes from/,
  );
  const other = refundBody(paid, 0, { from: stranger.address }, stranger);
  await expectRefused(other, "refund_mismatch", /goes from/);
  await expectRefused(refundBody(paid, 0, {}, stranger), "invalid_signature", /signature/i);
  const settled = await refund(refundBody(paid, 0));
  const ofRefund = withMember(refundBody(paid, 1), "settlementId", settled.body["id"]);
  expect((await refund(ofRefund)).status).toBe(404);
});

test("another account's key, a live one on the test network, no key, a wrong body", async () => {
  const paid = await pay();
  const live = await keyOf(devnet.seller.address, store, "live");
  expect(await refund(refundBody(paid, 0), live)).toMatchObject({ status: 401 });
  const others = await keyOf(walletAt(devnet.buyers, 2).address);
  expect(await refund(refundBody(paid, 0), others)).toMatchObject({ status: 404 });
  expect(await served.post("/v1/refunds", refundBody(paid, 0))).toMatchObject({ status: 403 });
  const wrongKey = { authorization: "Bearer fk_test_x" };
  expect(await refund(refundBody(paid, 0), wrongKey)).toMatchObject({ status: 401 });
  for (const member of ["settlementId", "authorization", "signature", "authorization.nonce"]) {
    const answer = await refund(withMember(refundBody(paid, 0), member, "x"));
    expect(answer.body).toMatchObject({ success: false, errorReason: "invalid_payload" });
  }
  expect((await read(paid.id))["refunds"]).toEqual([]);
});

test("by the account's session", async () => {
  const paid = await pay();
  const answer = await seller.post("/v1/refunds", refundBody(paid, 0), { prefer: "wait=20" });
  expect(answer.body).toMatchObject({ status: "confirmed", refundOf: paid.id });
  const foreign = await seller.post("/v1/refunds", refundBody(paid, 0), {
    origin: "https://x.test",
  });
  expect(foreign).toMatchObject({ status: 403, body: { error: "foreign_origin" } });
});

test.each([
  ["authorization_canceled", "a", /nonce of this refund is already used/],
  ["transaction_reverted", "b", /Sign the refund again/],
] as const)("what to do after a refund that failed by %s", async (code, digit, says) => {
  const owner = devnet.seller.address;
  // On a network that is not served, so that nobody continues the claims.
  const id = `stl_${digit.repeat(32)}`;
  const sale = claimOf({ id, chainId: 50, asset: networkOfChain(50).usdc, payTo: owner });
  await store.claimSettlements([sale], Date.now());
  await store.recordConfirmed([{ id: sale.id, mined: minedIn(1) }], Date.now());
  await store.recordFinalized(50, 1, Date.now());
  const parties = { payer: owner, owner, payTo: sale.payer, nonce: refundNonce(sale, 0) };
  const refund = { of: sale.id, unitsMin: 1n };
  const claim = claimOf({ ...sale, ...parties, id: `stl_1${digit.repeat(31)}`, refund });
  expect(await store.claimSettlements([claim], Date.now())).toMatchObject([{ kind: "created" }]);
  await store.recordFailed([{ id: claim.id, code, message: "m", transaction: null }], Date.now());
  const { body } = await seller.get(`/v1/account/settlements/${claim.id}`);
  expect(body).toMatchObject({ failure: code, nextStep: expect.stringMatching(says) });
});

test("a payment on a network that is served no more", async () => {
  const account = devnet.seller.address;
  const id = `stl_${"50".repeat(16)}`;
  const sale = claimOf({ id, chainId: 50, asset: networkOfChain(50).usdc, payTo: account });
  await store.claimSettlements([sale], Date.now());
  await store.recordConfirmed([{ id: sale.id, mined: minedIn(1) }], Date.now());
  await store.recordFinalized(50, 1, Date.now());
  const paid = { ...sale, body: bodyOn(devnet) };
  const body = refundBody(paid, 0, { to: sale.payer, nonce: refundNonce(sale, 0) });
  const answer = await seller.post("/v1/refunds", body);
  expect(answer.body).toMatchObject({ success: false, errorReason: "unsupported_network" });
  expect((await served.get(`/settlements/${id}`, key)).status).toBe(404);
});

test("a refund's nonce buys nothing, whatever becomes of the refund", async () => {
  const paid = await pay();
  const { authorization, signature } = refundBody(paid, 0);
  const payment = bodyOn(devnet, { authorization: authorizationOf(paid, 0) });
  const body = withMember(payment, "paymentPayload.payload", { authorization, signature });
  expect((await refund(refundBody(paid, 0))).body).toMatchObject({ status: "confirmed" });
  const hosted = "/api/facilitator";
  const verified = await served.post(`${hosted}/verify`, body);
  expect(verified.body).toMatchObject({ isValid: false, invalidReason: "nonce_already_used" });
  const settled = await served.post(`${hosted}/settle`, body);
  expect(settled.body).toMatchObject({
    success: false,
    errorReason: "nonce_already_used",
    errorMessage: expect.stringMatching(/refund/),
  });
});

test("a failed refund is signed again with the same nonce, and charged once", async () => {
  const paid = await pay();
  const account = devnet.seller.address;
  const { available: before } = await store.findCredits(account);
  const part = { value: 4_000n };
  await devnet.rpc("evm_setAutomine", [false]);
  const first = await served.post("/v1/refunds", refundBody(paid, 0, part), key);
  expect(first.body).toMatchObject({ status: "pending", refundOf: paid.id });
  const { id } = first.body;
  expect(await read(paid.id)).toMatchObject({ refundedAmount: "4000" });
  const balance = await devnet.usdc.balanceOf(account);
  await devnet.usdc.setBalance(account, 0n);
  await devnet.mine();
  await devnet.mine(finalAfterBlocks);
  await devnet.rpc("evm_setAutomine", [true]);
  await expect.poll(async () => (await read(id))["state"]).toBe("failed");
  await devnet.usdc.setBalance(account, balance);
  expect(await store.findCredits(account)).toMatchObject({ available: before });
  expect(await read(paid.id)).toMatchObject({
    refundedAmount: "0",
    refunds: [{ id, ordinal: 0, state: "failed" }],
  });
  await expectRefused(refundBody(paid, 0), "refund_mismatch", /4000 .* can still be used/);
  const again = { ...part, validBefore: secondsFromNow(7_200) };
  expect((await refund(refundBody(paid, 0, again))).body).toMatchObject({
    id,
    status: "confirmed",
  });
  expect(await read(paid.id)).toMatchObject({ refundedAmount: "4000" });
  expect(await store.findCredits(account)).toMatchObject({ available: before - 1 });
  expect(await store.auditCredits(10)).toEqual([]);
});

test("the self-built service refunds for a key, also what a dead process has claimed", async () => {
  const databaseUrl = newDatabaseUrl();
  let own = await openStore(databaseUrl);
  const ownKey = await keyOf(devnet.seller.address, own);
  await own.close();
  let selfBuilt = await serveOn(devnet, { wallets: [1], databaseUrl });
  try {
    const body = bodyOn(devnet);
    const settled = await selfBuilt.post("/settle", body);
    const id = textAt(settled.body, "id");
    await mineToFinal(devnet);
    const readOwn = async (of = id) => (await selfBuilt.get(`/settlements/${of}`)).body;
    await expect.poll(async () => (await readOwn())["finalizedAt"]).not.toBeNull();
    const { payer } = payerAndNonceOf(body);
    const paid = { id, payer, payTo: devnet.seller.address, amount: oneCent, body };
    const signed = refundBody(paid, 0, { value: 4_000n });
    expect(await selfBuilt.post("/v1/refunds", signed)).toMatchObject({ status: 401 });
    const answer = await selfBuilt.post("/v1/refunds", signed, { ...ownKey, prefer: "wait=20" });
    expect(answer.body).toMatchObject({ status: "confirmed", refundOf: id });
    expect(await readOwn()).toMatchObject({ refundedAmount: "4000", minRefundAmount: "1000" });
    expect(await readOwn(textAt(answer.body, "id"))).toMatchObject({ refundOf: id });
    await selfBuilt.stop();
    own = await openStore(databaseUrl);
    const { from, ...authorization } = authorizationOf(paid, 1, { value: 6_000n });
    const signature = hexAt(refundBody(paid, 1, { ...authorization }), "signature");
    const { to: payTo, value: amount, ...rest } = authorization;
    const refund = { of: id, unitsMin: 1n };
    const claim = claimOf({ ...rest, payer: from, payTo, amount, signature, refund });
    expect(await own.claimSettlements([claim], Date.now())).toMatchObject([{ kind: "created" }]);
    await own.close();
    selfBuilt = await serveOn(devnet, { wallets: [1], databaseUrl });
    await expect
      .poll(() => readOwn())
      .toMatchObject({ refunds: [{ state: "confirmed" }, { state: "confirmed", amount: "6000" }] });
  } finally {
    await selfBuilt.stop();
  }
});

test("a contract wallet returns a payment", async () => {
  const { address, owner } = devnet.smartWallet;
  const by = await keyOf(address);
  const paid = await pay({ body: bodyOn(devnet, { authorization: { to: address } }), by });
  const before = await devnet.usdc.balanceOf(paid.payer);
  const answer = await refund(refundBody(paid, 0, {}, owner), by);
  expect(answer.body).toMatchObject({ status: "confirmed", payer: address });
  expect(await devnet.usdc.balanceOf(paid.payer)).toBe(before + oneCent);
});

test("a refund that a third party submitted before is refused", async () => {
  const paid = await pay();
  const { authorization, signature } = refundBody(paid, 0);
  const payment = bodyOn(devnet, { authorization: authorizationOf(paid, 0) });
  const request = withMember(payment, "paymentPayload.payload", { authorization, signature });
  const hash = await frontRun(devnet, request);
  await expectRefused(refundBody(paid, 0), "already_settled", /has paid/, hash);
});

test("a contract wallet is refunded", async () => {
  const paid = await pay({ body: byContract(devnet) });
  expect((await refund(refundBody(paid, 0))).body).toMatchObject({ status: "confirmed" });
});
