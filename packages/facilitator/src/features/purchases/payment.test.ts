/**
 * What a call that pays a purchase leaves of it, whatever another call, a fault or the time has done
 * meanwhile: from the store alone.
 */
import { apothem, refusal, xdc, type Address, type ChainId } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import type { SettleResult } from "@farthing/engine";
import { Fault, silentLog, type FaultCode } from "@farthing/engine/base";
import { claimOf } from "../../../test/stores/store-values.testing.ts";
import { openStore } from "../open-store.ts";
import type { CreditPurchase } from "./model.ts";
import { createPayPurchase } from "./payment.ts";
import { isLinked, purchaseKey } from "./service.ts";

const treasury: Address = `0x${"77".repeat(20)}`;
const account: Address = `0x${"11".repeat(20)}`;
const { chainId } = apothem;
const now = 1_000;
const expiresAt = 2_000;

/** A purchase that waits for its payment, and calls that pay it, each with what settling it gives. */
async function beginPurchase() {
  const store = await openStore("sqlite::memory:");
  onTestFinished(() => store.close());
  const id = `pur_${"0".repeat(32)}`;
  await store.ensureAccount(account, now);
  const terms = { account, chainId, payer: account, credits: 1_000, units: 1_000_000n };
  await store.createPurchase({ id, ...terms, createdAt: now, expiresAt }, { awaitingMax: 1 });
  const pay = (settle: () => Promise<SettleResult>, atMs = now) =>
    createPayPurchase({
      store,
      settle,
      treasury,
      networks: [apothem],
      engine: { refuseWhileBehind: async () => undefined },
      marginSeconds: 6n,
      clock: { nowMs: () => atMs, sleep: async () => undefined },
      log: silentLog,
    })({ account, id, signature: "0x00", requestId: "req_1", keylessOf: () => undefined });
  const read = async (): Promise<CreditPurchase> =>
    (await store.findPurchase(id)) ?? expect.fail("the purchase is gone");
  return { store, pay, read };
}

const failed = (code: FaultCode) => () => Promise.reject(new Fault(code, "It failed"));
const refused = async () => ({ kind: "refused", refusal: refusal("invalid_signature") }) as const;

test.each([
  ["is refused", refused],
  ["meets a service that can send nothing", failed("no_wallet")],
])("a second call that %s leaves the payment of the first under way", async (_, second) => {
  const { pay, read } = await beginPurchase();
  const { promise, resolve } = Promise.withResolvers<SettleResult>();
  const first = pay(() => promise);
  await expect.poll(async () => (await read()).state, { interval: 1 }).toBe("settling");
  await pay(second).catch(() => undefined);
  expect(await read()).toMatchObject({ state: "settling" });
  resolve(await refused());
  await first;
  expect(await read()).toMatchObject({ state: "awaiting_payment" });
});

test.each([
  ["was not admitted can be paid again", "no_wallet", "awaiting_payment"],
  ["failed in between may have been claimed", "storage_unavailable", "settling"],
] as const)("a payment that %s", async (_, code, state) => {
  const { pay, read } = await beginPurchase();
  await expect(pay(failed(code))).rejects.toMatchObject({ code });
  expect(await read()).toMatchObject({ state });
});

test("one that was paid in time, as only its settlement shows, is under way", async () => {
  const { store, pay, read } = await beginPurchase();
  const purchase = await read();
  const key = purchaseKey(purchase) ?? expect.fail("it has a payer");
  const claim = claimOf({ ...key, payTo: treasury, amount: purchase.units });
  await store.claimSettlements([claim], now);
  const paid = await pay(refused, expiresAt);
  expect(paid).toMatchObject({
    kind: "purchase",
    purchase: { state: "settling", settlementId: claim.id },
  });
});

test("one that its payer paid himself is told as it is, also while the operator reviews it", async () => {
  const { store, pay, read } = await beginPurchase();
  const { id } = await read();
  const elsewhere = { transaction: `0x${"99".repeat(32)}`, blockNumber: 5, logIndex: 0 } as const;
  const moves = [
    ["awaiting_payment", { to: "settling", payer: account, settlementId: null }],
    ["settling", { to: "confirmed", ...elsewhere }],
    ["confirmed", { to: "held", holdReason: "daily_limit" }],
  ] as const;
  for (const [from, move] of moves) await store.movePurchase(id, from, move, now);
  expect(await pay(refused)).toMatchObject({ kind: "purchase", purchase: { state: "held" } });
});

test("a contract wallet pays on its own chain only", async () => {
  const { store } = await beginPurchase();
  const payer: Address = `0x${"44".repeat(20)}`;
  const of = { account, address: payer, role: "owner", kind: "contract", linkedAt: now } as const;
  await store.linkWallet({ ...of, chainId }, { walletsMax: 5 });
  const mayPay = (on: ChainId) => isLinked(store, { account, payer, chainId: on });
  expect(await Promise.all([mayPay(apothem.chainId), mayPay(xdc.chainId)])).toEqual([true, false]);
});
