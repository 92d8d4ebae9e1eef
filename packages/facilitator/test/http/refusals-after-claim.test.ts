/**
 * What only a settle can meet: the payer's cap, and everything that happens to a payment between
 * its claim and its block. "Failed" is said only when the chain said so.
 */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject, RefusalCode } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  byContract,
  countOf,
  finalAfterBlocks,
  frontRun,
  oneCent,
  payerAndNonceOf,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  type Answer,
  type Served,
  type PaymentInput,
} from "../support/facilitator.testing.ts";
import { x402Reasons } from "../support/refusal-table.testing.ts";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";

let devnet: Devnet;
let proxy: RpcProxy;
let served: Served;

beforeAll(async () => {
  devnet = await startChain({ buyers: 21 });
  proxy = await startRpcProxy(devnet.rpcUrl);
  served = await serveOn(devnet, {
    rpcUrl: proxy.url,
    env: { FARTHING_PAYER_CAP: "0.025", FARTHING_PAYER_COUNT: "3" },
  });
});
afterAll(async () => {
  await served?.stop();
  await proxy?.stop();
  await devnet?.stop();
});
afterEach(async () => {
  proxy.react = () => undefined;
  await automine(true);
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);

let nextBuyer = 0;
/** A payment of a payer of its own, so that no cap and no balance is shared. */
function fresh(input: PaymentInput = {}) {
  const payer = walletAt(devnet.buyers, nextBuyer++);
  return { payer, body: bodyOn(devnet, { payer, ...input }) };
}

const async = { prefer: "respond-async" };

/** Settles while no block is made: the transfer is sent and waits. */
async function settlePending(body: JsonObject): Promise<string> {
  await automine(false);
  const { status, body: answer } = await served.post("/settle", body, async);
  expect([status, answer]).toMatchObject([200, { status: "pending", success: false }]);
  return textAt(answer, "id");
}

/** The outcome, by the settlement's own page and by another settle. */
async function outcomeOf(id: string, body: JsonObject): Promise<Answer["body"]> {
  // Failed is said of what is final only.
  await devnet.mine(finalAfterBlocks);
  const { body: page } = await served.get(`/settlements/${id}?wait=20`);
  const again = await served.post("/settle", body);
  expect([again.status, again.body]).toMatchObject([
    200,
    { id, status: page["status"], transaction: page["transaction"] },
  ]);
  return page;
}

function expectFailed(page: JsonObject, code: RefusalCode, says: RegExp): void {
  expect(page).toMatchObject({
    status: "failed",
    state: "failed",
    success: false,
    errorReason: code,
    errorMessage: expect.stringMatching(says),
    extra: { x402Reason: x402Reasons[code] },
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    confirmedAt: null,
  });
}

test("payer_spend_cap_reached: what passes the cap is not claimed; a repeat is not counted", async () => {
  const { payer, body } = fresh();
  expect((await served.post("/settle", body)).body).toMatchObject({ success: true });
  expect((await served.post("/settle", body)).body).toMatchObject({ success: true });
  const second = bodyOn(devnet, { payer });
  expect((await served.post("/settle", second)).body).toMatchObject({ success: true });
  const before = await countOf(devnet, served.relayer);
  const third = bodyOn(devnet, { payer });
  const { status, body: answer } = await served.post("/settle", third);
  expect(status).toBe(200);
  expect(answer).toMatchObject({
    success: false,
    errorReason: "payer_spend_cap_reached",
    errorMessage: expect.stringMatching(/cap of this facilitator; try again later/),
    extra: { x402Reason: "payer_spend_cap_reached" },
    transaction: "",
    network: "eip155:51",
  });
  expect(await countOf(devnet, served.relayer)).toBe(before);
  // A seller who serves by the verdict would serve for nothing.
  expect((await served.post("/verify", third)).body).toMatchObject({
    isValid: false,
    invalidReason: "payer_spend_cap_reached",
    payer: payer.address,
  });
  // Exactly up to the cap is allowed, and nothing of the refused one counts.
  const rest = bodyOn(devnet, { payer, authorization: { value: 5_000n } });
  expect((await served.post("/settle", rest)).body).toMatchObject({ success: true });
});

test("payer_count_reached: a payer's payments of a day are counted, whatever they move", async () => {
  const payer = walletAt(devnet.buyers, 17);
  const small = () => bodyOn(devnet, { payer, authorization: { value: 1_000n } });
  const bodies = [small(), small(), small()];
  const settled = await Promise.all(bodies.map((body) => served.post("/settle", body)));
  expect(settled.map(({ body }) => body["success"])).toEqual([true, true, true]);
  const fourth = small();
  const code = "payer_count_reached";
  expect((await served.post("/verify", fourth)).body).toMatchObject({
    isValid: false,
    invalidReason: code,
    invalidMessage: expect.stringMatching(
      /payments per day .* without an API key; try again later/,
    ),
  });
  expect((await served.post("/settle", fourth)).body).toMatchObject({
    success: false,
    errorReason: code,
    extra: { x402Reason: code },
    transaction: "",
  });
  expect(await usesOf(devnet, fourth)).toEqual([]);
});

test("settlement_pending: with the hash, and confirmed by the next block", async () => {
  const { body } = fresh();
  await automine(false);
  const { status, body: answer } = await served.post("/settle", body, { prefer: "wait=1" });
  expect(status).toBe(200);
  expect(answer).toMatchObject({
    success: false,
    status: "pending",
    errorReason: "settlement_pending",
    errorMessage: expect.stringMatching(/do not sign a new one/),
    extra: { settlementId: answer["id"], x402Reason: "settlement_pending" },
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  // In flight: /verify refuses it, so that nobody serves it a second time.
  expect((await served.post("/verify", body)).body).toMatchObject({
    isValid: false,
    invalidReason: "nonce_already_used",
    invalidMessage: expect.stringContaining(textAt(answer, "id")),
  });
  await devnet.mine();
  const page = await outcomeOf(textAt(answer, "id"), body);
  expect(page).toMatchObject({ success: true, transaction: answer["transaction"] });
});

test("authorization_canceled: the payer takes it back while it is in flight", async () => {
  const { payer, body } = fresh();
  const id = await settlePending(body);
  await devnet.cancelAuthorization({
    privateKey: payer.privateKey,
    nonce: payerAndNonceOf(body).nonce,
  });
  const page = await outcomeOf(id, body);
  expectFailed(
    page,
    "authorization_canceled",
    /payer canceled.*transaction 0x[0-9a-f]{64}; sign a new/,
  );
  // The message alone names the cancellation: it is not what carried the payment.
  const [, cancellation] = /transaction (0x[0-9a-f]{64})/.exec(textAt(page, "errorMessage")) ?? [];
  expect(cancellation).toBeDefined();
  expect(page["transaction"]).not.toBe(cancellation);
  expect(await usesOf(devnet, body)).toEqual([]);
});

test("authorization_canceled: before it came here, once the cancellation is final", async () => {
  const { payer, body } = fresh();
  const { nonce } = payerAndNonceOf(body);
  await devnet.cancelAuthorization({ privateKey: payer.privateKey, nonce });
  const says = expect.stringMatching(/payer canceled.*transaction 0x[0-9a-f]{64}/);
  const { body: early } = await served.post("/settle", body);
  expect(early).toMatchObject({ errorReason: "nonce_already_used", errorMessage: says });
  await devnet.mine(finalAfterBlocks);
  const verdict = { isValid: false, invalidReason: "authorization_canceled" };
  const refused = { success: false, errorReason: "authorization_canceled", transaction: "" };
  await expect
    .poll(async () => (await served.post("/verify", body)).body)
    .toMatchObject({ ...verdict, invalidMessage: says });
  expect((await served.post("/settle", body)).body).toMatchObject({
    ...refused,
    errorMessage: says,
    extra: { x402Reason: x402Reasons.authorization_canceled },
  });
});

test("paid, and not canceled, where the payment has taken the place of a cancellation that vanished", async () => {
  const { payer, body } = fresh();
  const { nonce } = payerAndNonceOf(body);
  await devnet.cancelAuthorization({ privateKey: payer.privateKey, nonce });
  const { body: early } = await served.post("/settle", body);
  expect(early).toMatchObject({ errorReason: "nonce_already_used" });
  await automine(false);
  await devnet.rpc("anvil_reorg", [1, []]);
  const transaction = await frontRun(devnet, body);
  await devnet.mine(finalAfterBlocks);
  const says = expect.stringContaining(`has paid the payee in transaction ${transaction}`);
  // Sooner than what was found first would be forgotten.
  await expect
    .poll(async () => (await served.post("/verify", body)).body, { timeout: 20_000 })
    .toMatchObject({ isValid: false, invalidMessage: says });
});

test.each([
  ["a smaller amount", { value: oneCent - 1n }],
  ["another payee", { to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" }],
] as const)("nonce_already_used: by the payer, for %s, which has not paid", async (_, other) => {
  const { payer, body } = fresh();
  const { nonce } = payerAndNonceOf(body);
  await frontRun(devnet, bodyOn(devnet, { payer, authorization: { nonce, ...other } }));
  expect((await served.post("/settle", body)).body).toMatchObject({
    success: false,
    errorReason: "nonce_already_used",
    errorMessage: expect.stringContaining("for another transfer than this one"),
  });
});

describe("mined and reverted: the cause where it can be known", () => {
  test("insufficient_funds: drained while pending", async () => {
    const { payer, body } = fresh();
    const id = await settlePending(body);
    await devnet.usdc.setBalance(payer.address, oneCent - 1n);
    await devnet.mine();
    expectFailed(await outcomeOf(id, body), "insufficient_funds", /holds 9999 .*add funds/);
    expect(await usesOf(devnet, body)).toEqual([]);
  });

  test("payer_blocked while pending", async () => {
    const { payer, body } = fresh();
    const id = await settlePending(body);
    await devnet.usdc.blacklist(payer.address);
    expectFailed(await outcomeOf(id, body), "payer_blocked", /pay from another address/);
  });

  test("invalid_signature: the contract wallet's owner changes while pending", async () => {
    const body = byContract(devnet);
    const id = await settlePending(body);
    await devnet.walletOwner(devnet.treasury.address);
    try {
      expectFailed(await outcomeOf(id, body), "invalid_signature", /sign with its owner/);
    } finally {
      await devnet.walletOwner(devnet.smartWallet.owner.address);
    }
  });

  test("transaction_reverted: nothing stands in the way any more", async () => {
    const { payer, body } = fresh();
    const id = await settlePending(body);
    // Out of sight until the balance is back: the cause is gone when it is looked for.
    proxy.react = () => "down";
    await devnet.usdc.setBalance(payer.address, 0n);
    await devnet.mine();
    await devnet.usdc.setBalance(payer.address, oneCent);
    proxy.react = () => undefined;
    await devnet.mine();
    expectFailed(await outcomeOf(id, body), "transaction_reverted", /reverted; no money moved/);
  });
});

test("one of several in one transaction fails: the others are paid, it has its own reason", async () => {
  await automine(false);
  const poor = fresh();
  const others = [fresh(), fresh(), fresh()];
  const all = [poor, ...others];
  const answers = await Promise.all(
    all.map(({ body }) => served.post("/settle", body, { prefer: "wait=1" })),
  );
  // The first may have left before the others came; the rest share a transaction.
  expect(new Set(answers.map(({ body }) => body["transaction"])).size).toBeLessThan(4);
  await devnet.usdc.setBalance(poor.payer.address, 1n);
  await devnet.mine();
  const [failed, ...paid] = await Promise.all(
    all.map(({ body }, index) => outcomeOf(textAt(answers[index]?.body ?? {}, "id"), body)),
  );
  expectFailed(failed ?? {}, "insufficient_funds", /holds 1 base units/);
  expect(paid.map(({ success }) => success)).toEqual([true, true, true]);
  for (const [index, { body }] of others.entries()) {
    expect(await usesOf(devnet, body)).toEqual([paid[index]?.["transaction"]]);
  }
});

test("transfer_not_found: a successful receipt and no transfer anywhere", async () => {
  const { payer, body } = fresh();
  // The chain drops our call and says that all went well.
  const id = await settlePending(body);
  await devnet.usdc.setBalance(payer.address, 0n);
  proxy.react = ({ method }) =>
    method === "eth_getTransactionReceipt"
      ? { rewrite: (receipt) => ({ ...Object(receipt), status: "0x1", logs: [] }) }
      : undefined;
  await devnet.mine();
  expectFailed(await outcomeOf(id, body), "transfer_not_found", /without the expected transfer/);
});

describe("a fault says nothing about the payment", () => {
  test.each(["v1", "v2", "flat-v2"] as const)("HTTP 503 with a shaped body, %s", async (shape) => {
    const body = bodyOn(devnet, { shape, payer: walletAt(devnet.buyers, 16) });
    proxy.react = () => "down";
    const verified = await served.post("/verify", body);
    expect([verified.status, verified.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(verified.body).toMatchObject({
      isValid: false,
      invalidReason: "service_unavailable",
      invalidMessage: expect.stringMatching(/not evaluated; try again/),
      error: "service_unavailable",
      retryable: true,
      requestId: expect.stringMatching(/^req_/),
      extra: { x402Reason: "unexpected_verify_error" },
    });
    const settled = await served.post("/settle", body);
    expect([settled.status, settled.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(settled.body).toMatchObject({
      success: false,
      errorReason: "service_unavailable",
      transaction: "",
      network: shape === "v1" ? "xdc-apothem" : "eip155:51",
      error: "service_unavailable",
      extra: { x402Reason: "unexpected_settle_error" },
    });
    proxy.react = () => undefined;
    expect((await served.post("/verify", body)).body).toMatchObject({ isValid: true });
  });
});
