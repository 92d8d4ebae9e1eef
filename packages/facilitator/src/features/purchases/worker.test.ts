/**
 * Purchases are credited once, whoever dies on the way and however many look at them at once: from
 * the store alone, on both databases.
 */
import { refundNonce, type Address } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { purchaseKey } from "./service.ts";
import { type Clock, silentLog, systemClock } from "@farthing/engine/base";
import type { CreditPurchase } from "./model.ts";
import { bothEngines } from "../../../test/stores/store-benches.testing.ts";
import {
  chainId,
  claimOf,
  hex32,
  idOf,
  next,
  type StoreBench,
} from "../../../test/stores/store-values.testing.ts";
import type { ServiceStore } from "../open-store.ts";
import { createPurchaseWorker, type WorkerDeps } from "./worker.ts";

const treasury: Address = `0x${"77".repeat(20)}`;
const account: Address = `0x${"11".repeat(20)}`;
const now = systemClock.nowMs();

function workerDeps(store: ServiceStore, clock: Clock = systemClock): WorkerDeps {
  return {
    store,
    clock,
    log: silentLog,
    treasury,
    reviewAboveUnits: 500_000_000n,
    readEnd: async () => undefined,
    onMoved: () => {},
  };
}

function workerOf(store: ServiceStore, clock: Clock = systemClock) {
  return createPurchaseWorker(workerDeps(store, clock));
}

/** A purchase that has been shown its payment; its settlement may be claimed, and final. */
async function shown(
  store: ServiceStore,
  payment: "none" | "claimed" | "final",
  nonce: CreditPurchase["nonce"] = null,
): Promise<CreditPurchase> {
  const id = `pur_${next().toString(16).padStart(32, "0")}`;
  await store.ensureAccount(account, now);
  const made = { id, account, chainId, payer: account, credits: 1_000, units: 1_000_000n, nonce };
  await store.createPurchase(
    { ...made, createdAt: now, expiresAt: now + 3_600_000 },
    { awaitingMax: 1_000 },
  );
  const settling = { to: "settling", payer: account, settlementId: null } as const;
  const purchase = await store.movePurchase(id, "awaiting_payment", settling, now);
  const key = purchase && purchaseKey(purchase);
  if (!purchase || !key) throw new Error("no purchase");
  if (payment === "none") return purchase;
  const claim = claimOf({ ...key, payTo: treasury, amount: purchase.units });
  const [claimed] = await store.claimSettlements([claim], now);
  const settlementId = idOf(claimed) ?? "";
  if (payment === "final") {
    await finalize(store, settlementId);
  }
  return purchase;
}

async function finalize(store: ServiceStore, id: string): Promise<void> {
  const blockNumber = next();
  const block = { transaction: hex32(blockNumber), blockNumber, blockHash: hex32(blockNumber) };
  const mined = { ...block, logIndex: 0, settledBy: "relayer" } as const;
  await store.recordConfirmed([{ id, mined }], now);
  await store.recordFinalized(chainId, blockNumber, now);
}

function dead(): never {
  throw new Error("dead");
}

/** The store of a process that dies at its n-th move of a purchase, before or after it is made. */
function dyingStore(
  store: ServiceStore,
  dies: { readonly at: number; readonly side: string },
): ServiceStore {
  let moves = 0;
  return {
    ...store,
    async movePurchase(...given) {
      if (++moves > dies.at || (moves === dies.at && dies.side === "before")) return dead();
      const moved = await store.movePurchase(...given);
      return moves === dies.at ? dead() : moved;
    },
  };
}

describe.each(bothEngines())("on %s", (_, start) => {
  let bench: StoreBench;
  let store: ServiceStore;
  beforeAll(async () => {
    bench = await start();
    store = await bench.open();
  });
  afterAll(async () => {
    await store?.close();
    await bench?.stop();
  });

  const available = async () => (await store.findCredits(account)).available;
  const crashes = [1, 2, 3].flatMap((at) => ["before", "after"].map((side) => ({ at, side })));

  test("a payment that is confirmed buys nothing before it is final", async () => {
    const { id } = await shown(store, "claimed");
    const worker = workerOf(store);
    await worker.poll();
    const settlementId = (await store.findPurchase(id))?.settlementId ?? "";
    const before = await available();
    const blockNumber = next();
    const block = { transaction: hex32(blockNumber), blockNumber, blockHash: hex32(blockNumber) };
    const mined = { ...block, logIndex: 0, settledBy: "relayer" } as const;
    await store.recordConfirmed([{ id: settlementId, mined }], now);
    await worker.poll();
    expect((await store.findPurchase(id))?.state).toBe("settling");
    await store.recordFinalized(chainId, blockNumber, now);
    await worker.poll();
    expect((await store.findPurchase(id))?.state).toBe("credited");
    expect(await available()).toBe(before + 1_000);
  });

  test("a refund to the treasury pays for nothing", async () => {
    const purchase = await shown(store, "none");
    const key = purchaseKey(purchase);
    const sale = claimOf({ payer: treasury, payTo: account, amount: purchase.units });
    await store.claimSettlements([sale], now);
    await finalize(store, sale.id);
    const paid = await store.findSettlement(sale.id);
    if (!key || !paid) throw new Error("there is no payment");
    const nonce = refundNonce(paid, 0);
    const chosen = await shown(store, "none", nonce);
    const terms = { payTo: treasury, amount: chosen.units, refund: { of: sale.id, unitsMin: 0n } };
    const refund = claimOf({ ...key, nonce, ...terms });
    expect(await store.claimSettlements([refund], now)).toMatchObject([{ kind: "created" }]);
    const before = await available();
    const after = { nowMs: () => now + 2 * 3_600_000, sleep: systemClock.sleep };
    // On chain it is a transfer of the price to the treasury.
    const paidElsewhere = { transaction: hex32(next()), blockNumber: next(), logIndex: 0 };
    const worker = createPurchaseWorker({
      ...workerDeps(store, after),
      readEnd: async ({ id }) => (id === chosen.id ? paidElsewhere : undefined),
    });
    for (let polls = 0; polls < 4; polls++) await worker.poll();
    expect(await store.findPurchase(chosen.id)).toMatchObject({ state: "expired" });
    expect(await available()).toBe(before);
  });

  test.each(crashes)("dead $side move $at: the next process credits it once", async (dies) => {
    const purchase = await shown(store, "final");
    const before = await available();
    await workerOf(dyingStore(store, dies)).poll();
    for (let looks = 0; looks < 3; looks++) await workerOf(store).poll();
    expect(await store.findPurchase(purchase.id)).toMatchObject({ state: "credited" });
    expect((await available()) - before).toBe(1_000);
    expect(await store.auditCredits(10)).toEqual([]);
  });

  test("a payment whose payer chose the nonce is found after a crash and credited once", async () => {
    const nonce = hex32(next());
    const purchase = await shown(store, "final", nonce);
    const before = await available();
    expect(await store.findPurchaseByPayment({ chainId, payer: account, nonce })).toMatchObject({
      id: purchase.id,
      settlementId: null,
    });
    for (let looks = 0; looks < 3; looks++) await workerOf(store).poll();
    expect(await store.findPurchase(purchase.id)).toMatchObject({ state: "credited" });
    expect((await available()) - before).toBe(1_000);
    const { id: _, ...terms } = purchase;
    const second = { ...terms, id: `pur_${"0".repeat(31)}1` };
    expect(await store.createPurchase(second, { awaitingMax: 1_000 })).toBe(false);
  });

  test("dead before the claim was made: it can be paid again, and not before its time", async () => {
    const purchase = await shown(store, "none");
    await workerOf(store).poll();
    expect(await store.findPurchase(purchase.id)).toMatchObject({ state: "settling" });
    const later = { ...systemClock, nowMs: () => now + 10 * 60_000 };
    await workerOf(store, later).poll();
    expect(await store.findPurchase(purchase.id)).toMatchObject({ state: "awaiting_payment" });
  });

  test("dead between claim and name: the settlement is found by its nonce", async () => {
    const purchase = await shown(store, "claimed");
    await workerOf(store).poll();
    const key = purchaseKey(purchase);
    const [settlement] = key ? await store.findSettlementsByKey([key]) : [];
    expect(await store.findPurchase(purchase.id)).toMatchObject({
      state: "settling",
      settlementId: settlement?.id,
    });
  });

  test("another transfer with the purchase's nonce is not its payment", async () => {
    const purchase = await shown(store, "none");
    const key = purchaseKey(purchase);
    if (!key) throw new Error("no payer");
    await store.claimSettlements([claimOf({ ...key, amount: purchase.units })], now);
    await workerOf(store).poll();
    expect(await store.findPurchase(purchase.id)).toMatchObject({ settlementId: null });
  });

  test("twelve processes at once: every purchase credited once", async () => {
    const before = await available();
    const purchases = [];
    for (let count = 0; count < 20; count++) purchases.push(await shown(store, "final"));
    const stores = await Promise.all(
      Array.from({ length: bench.isConcurrent ? 12 : 2 }, () => bench.open()),
    );
    await Promise.all(stores.map((one) => workerOf(one).poll()));
    for (let looks = 0; looks < 3; looks++) await workerOf(store).poll();
    await Promise.all(stores.map((one) => one.close()));
    for (const { id } of purchases) {
      expect(await store.findPurchase(id)).toMatchObject({ state: "credited" });
    }
    expect((await available()) - before).toBe(20_000);
    expect(await store.auditCredits(10)).toEqual([]);
  });

  test("hundreds that cannot end keep no later one from ending", async () => {
    const open = await Promise.all(Array.from({ length: 250 }, () => shown(store, "none")));
    const purchase = await shown(store, "final");
    const worker = workerOf(store);
    for (let looks = 0; looks < 3; looks++) await worker.poll();
    expect(await store.findPurchase(purchase.id)).toMatchObject({ state: "credited" });
    const [first] = open;
    expect(await store.findPurchase(first?.id ?? "")).toMatchObject({ state: "settling" });
  });

  test("hundreds that cannot expire keep no later one from expiring", async () => {
    const made = { account, chainId, payer: account, credits: 1, units: 1_000n };
    const ids = Array.from({ length: 250 }, () => `pur_${next().toString(16).padStart(32, "0")}`);
    // One at a time: hundreds at once would wait for a connection longer than its time limit.
    for (const [index, id] of ids.entries()) {
      const times = { createdAt: now - 20_000, expiresAt: now - 10_000 + index };
      await store.createPurchase({ ...made, id, ...times }, { awaitingMax: 1_000 });
    }
    const last = ids.at(-1) ?? "";
    const worker = createPurchaseWorker({
      ...workerDeps(store),
      readEnd: async ({ id }) => (id === last ? "unpaid" : undefined),
    });
    for (let looks = 0; looks < 3; looks++) await worker.poll();
    expect(await store.findPurchase(last)).toMatchObject({ state: "expired" });
  });
});
