/**
 * What settlements cost their seller: held before anything is sent, charged when money moved, given
 * back when it did not. A seller without credits is told so, and nothing is said of the payment.
 */
import type { Devnet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createApiKey } from "../api-keys/key-text.ts";
import { systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  countOf,
  finalAfterBlocks,
  newDatabaseUrl,
  oneCent,
  payerAndNonceOf,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  type Answer,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { createRefunds } from "../../../test/support/refunds.testing.ts";
import { openStore, type ServiceStore } from "../open-store.ts";
import { mineToFinal } from "../purchases/purchases.testing.ts";

let devnet: Devnet;
let store: ServiceStore;
let served: Served;
let headers: Readonly<Record<string, string>>;

beforeAll(async () => {
  devnet = await startChain({ relayers: 2 });
  const databaseUrl = newDatabaseUrl();
  store = await openStore(databaseUrl);
  const account = devnet.seller.address;
  const made = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
  headers = { authorization: `Bearer ${made.text}` };
  const env = { FARTHING_CREDITS_PER_SETTLEMENT: "2" };
  served = await serveOn(devnet, { selfBuilt: false, databaseUrl, store, env });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});
afterEach(async () => {
  expect(await store.auditCredits(10)).toEqual([]);
  await automine(true);
});

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
const settle = (body: JsonObject, more = {}) =>
  served.post("/settle", body, { ...headers, ...more });
const credits = () => store.findCredits(devnet.seller.address);

/** Gives the seller exactly this many credits, whatever there are. */
async function leaveOnly(available: number): Promise<void> {
  const { available: before } = await credits();
  if (available === before) return;
  await store.grantCredits(
    {
      account: devnet.seller.address,
      kind: "adjustment",
      credits: available - before,
      actor: "test",
      note: null,
    },
    systemClock.nowMs(),
  );
}

/** An account's problem is no judgement: no outcome, no reason, nothing for a buyer. */
function expectDenied(answer: Answer, code: string, says: RegExp): void {
  expect([answer.status, answer.body]).toEqual([
    403,
    {
      error: code,
      message: expect.stringMatching(says),
      retryable: false,
      requestId: expect.stringMatching(/^req_/),
    },
  ]);
}

describe("without credits", () => {
  test("nothing is sent, and the same payment settles once there are some", async () => {
    await leaveOnly(1);
    const body = bodyOn(devnet);
    const before = await countOf(devnet, served.relayer);
    const denied = await settle(body);
    expectDenied(denied, "insufficient_facilitator_credits", /not evaluated and no money moved/);
    expect(await countOf(devnet, served.relayer)).toBe(before);
    // Looking is free, and the payment is as good as it was.
    expect((await served.post("/verify", body, headers)).body).toMatchObject({ isValid: true });

    await leaveOnly(2);
    const { body: paid } = await settle(body, { prefer: "wait=20" });
    expect(paid).toMatchObject({ success: true });
    expect(await usesOf(devnet, body)).toEqual([paid["transaction"]]);
    expect(await credits()).toEqual({ available: 0, held: 0 });
    const page = await served.get(`/settlements/${textAt(paid, "id")}`, headers);
    expect(page.body).toMatchObject({ state: "confirmed", credits: 2 });

    // What was settled is told for nothing, as often as somebody asks.
    expect((await settle(body)).body).toMatchObject({ success: true, id: paid["id"] });
  });

  test("as many at once as there are credits for", async () => {
    await leaveOnly(7);
    const bodies = Array.from({ length: 8 }, () => bodyOn(devnet));
    const answers = await Promise.all(bodies.map((body) => settle(body, { prefer: "wait=20" })));
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(5);
    expect(answers.filter(({ body }) => body["success"] === true)).toHaveLength(3);
    expect(await credits()).toEqual({ available: 1, held: 0 });
  });

  test("the surface without keys costs no one anything", async () => {
    await leaveOnly(0);
    const { body } = await served.post("/api/facilitator/settle", bodyOn(devnet));
    expect(body).toMatchObject({ success: true });
    expect(await credits()).toEqual({ available: 0, held: 0 });
  });

  test("a payment that is no good is evaluated, and costs nothing", async () => {
    await leaveOnly(0);
    const body = bodyOn(devnet, { authorization: { validBefore: 1n } });
    const answer = await settle(body);
    expect([answer.status, answer.body]).toMatchObject([200, { success: false }]);
  });
});

test("an inactive plan: nothing is sent until the operator activates it", async () => {
  await leaveOnly(2);
  await store.setPlan(devnet.seller.address, "inactive");
  const body = bodyOn(devnet);
  const before = await countOf(devnet, served.relayer);
  expectDenied(await settle(body), "seller_plan_inactive", /not evaluated and no money moved/);
  expect(await countOf(devnet, served.relayer)).toBe(before);
  // A seller who serves by the verdict would serve for nothing.
  const verify = () => served.post("/verify", body, headers);
  expectDenied(await verify(), "seller_plan_inactive", /not evaluated and no money moved/);
  // Nor is a payment that is no good evaluated for it.
  const bad = bodyOn(devnet, { authorization: { validBefore: 1n } });
  const invalid = await served.post("/verify", bad, headers);
  expectDenied(invalid, "seller_plan_inactive", /not evaluated and no money moved/);
  await store.setPlan(devnet.seller.address, "active");
  expect((await verify()).body).toMatchObject({ isValid: true });
  expect((await settle(body, { prefer: "wait=20" })).body).toMatchObject({ success: true });
});

test("an inactive plan refunds nothing: a refund costs gas as a payment does", async () => {
  await leaveOnly(4);
  const body = bodyOn(devnet);
  const { payer } = payerAndNonceOf(body);
  const settled = await settle(body, { prefer: "wait=20" });
  const id = textAt(settled.body, "id");
  await mineToFinal(devnet);
  const finalizedAt = async () =>
    (await served.get(`/settlements/${id}`, headers)).body["finalizedAt"];
  await expect.poll(finalizedAt).not.toBeNull();
  const { refundBody } = createRefunds(() => devnet);
  const paid = { id, payer, payTo: devnet.seller.address, amount: oneCent, body };
  const own = { ...headers, prefer: "wait=20" };
  const refund = (ordinal = 0) => served.post("/v1/refunds", refundBody(paid, ordinal), own);
  await store.setPlan(devnet.seller.address, "inactive");
  const before = await countOf(devnet, served.relayer);
  // The second one before the first would be refused, and is not evaluated either.
  for (const ordinal of [0, 1]) {
    const denied = await refund(ordinal);
    expectDenied(denied, "seller_plan_inactive", /not evaluated and no money moved/);
  }
  expect(await countOf(devnet, served.relayer)).toBe(before);
  await store.setPlan(devnet.seller.address, "active");
  expect((await refund()).body).toMatchObject({ success: true });
});

test("free credits pay for the first settlements of a month, also of a new account", async () => {
  const databaseUrl = newDatabaseUrl();
  const other = await openStore(databaseUrl);
  const account = devnet.seller.address;
  const { text } = await createApiKey(other, systemClock, { account, mode: "test", label: "t" });
  const env = { FARTHING_CREDITS_PER_SETTLEMENT: "2", FARTHING_FREE_CREDITS: "3" };
  const options = { selfBuilt: false, databaseUrl, store: other, wallets: [1], env };
  const free = await serveOn(devnet, options);
  onTestFinished(() => free.stop());
  const own = { authorization: `Bearer ${text}`, prefer: "wait=20" };
  expect((await free.post("/settle", bodyOn(devnet), own)).body).toMatchObject({ success: true });
  expect(await other.findCredits(account)).toEqual({ available: 1, held: 0 });
  const second = await free.post("/settle", bodyOn(devnet), own);
  expectDenied(second, "insufficient_facilitator_credits", /account/);
});

describe("with credits", () => {
  test("a payment that fails on chain gives them back", async () => {
    await leaveOnly(3);
    await automine(false);
    const payer = walletAt(devnet.buyers, 1);
    const { body } = await settle(bodyOn(devnet, { payer }));
    expect(body).toMatchObject({ status: "pending" });
    expect(await credits()).toEqual({ available: 1, held: 2 });
    await devnet.usdc.setBalance(payer.address, oneCent - 1n);
    await devnet.mine(1 + finalAfterBlocks);
    const page = await served.get(`/settlements/${textAt(body, "id")}?wait=20`, headers);
    expect(page.body).toMatchObject({ state: "failed", credits: 0 });
    expect(await credits()).toEqual({ available: 3, held: 0 });
  });

  test("a block that vanishes makes the charge a hold, until the payment is in another", async () => {
    await leaveOnly(2);
    const { body: paid } = await settle(bodyOn(devnet), { prefer: "wait=20" });
    expect(paid).toMatchObject({ success: true });
    expect(await credits()).toEqual({ available: 0, held: 0 });
    await automine(false);
    const hash = paid["transaction"];
    const receipt = await devnet.rpc<{ blockNumber: Hex }>("eth_getTransactionReceipt", [hash]);
    const head = await devnet.rpc<Hex>("eth_blockNumber");
    await devnet.rpc("anvil_reorg", [Number(head) - Number(receipt.blockNumber) + 1, []]);
    await devnet.mine();
    const soon = { timeout: 60_000, interval: 100 };
    await expect.poll(credits, soon).toEqual({ available: 0, held: 2 });
    await automine(true);
    const afterBlock = async () => {
      await devnet.mine();
      return credits();
    };
    // What is lost is sent again after a few blocks.
    await expect.poll(afterBlock, { ...soon, interval: 500 }).toEqual({ available: 0, held: 0 });
    const { items } = await store.listCreditEntries(devnet.seller.address, { limit: 4 });
    expect(items.map(({ kind }) => kind)).toEqual(["charge", "reopen", "charge", "hold"]);
  });
});
