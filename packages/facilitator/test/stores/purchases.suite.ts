/** What every store promises about purchases and history. */
import type { TimeCursor } from "@farthing/engine/storage";
import type { Address } from "@farthing/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { purchaseTransitions, type PurchaseState } from "../../src/features/purchases/model.ts";
import type { HistoryFilter } from "../../src/features/history/model.ts";
import { bringPurchase, purchased, purchaseSteps } from "./purchase-values.testing.ts";
import { storeForEach, type StoreAt } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  fund,
  held,
  hex32,
  minedIn,
  next,
  planOf,
  type StoreBench,
} from "./store-values.testing.ts";

const seller: Address = `0x${"33".repeat(20)}`;
const other: Address = `0x${"44".repeat(20)}`;

/** The tests, on databases that `start` makes. */
export function purchasesSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);
  beforeEach(async () => {
    for (const account of [seller, other]) await at().store.ensureAccount(account, 1);
  });
  afterEach(async () => {
    expect(await at().store.auditCredits(10)).toEqual([]);
  });

  describe("purchases", () => purchaseTests(at));
  describe("history", () => historyTests(at));
}

const states = Object.keys(purchaseTransitions).filter((name): name is PurchaseState =>
  Object.hasOwn(purchaseTransitions, name),
);

function purchaseTests(at: StoreAt): void {
  test("keep what they are, step by step", async () => {
    const { store } = at();
    const id = await purchased(store);
    await store.movePurchase(id, "awaiting_payment", purchaseSteps.settling(0), 1_100);
    const settling = { to: "settling", payer: other, settlementId: "stl_1" } as const;
    await store.movePurchase(id, "settling", settling, 1_200);
    await store.movePurchase(id, "settling", purchaseSteps.confirmed(3), 1_300);
    await store.movePurchase(id, "confirmed", purchaseSteps.held(0), 1_400);
    const approved = { to: "credited", reviewer: "op", reviewNote: "known" } as const;
    const purchase = await store.movePurchase(id, "held", approved, 1_500);
    expect(purchase).toEqual({
      id,
      account: seller,
      chainId,
      payer: other,
      credits: 500,
      units: 500_000n,
      state: "credited",
      settlementId: "stl_1",
      holdReason: "amount_above_limit",
      keyId: null,
      nonce: null,
      failureMessage: null,
      reviewer: "op",
      reviewNote: "known",
      transaction: hex32(9),
      blockNumber: 7,
      logIndex: 3,
      timeline: [
        { state: "awaiting_payment", at: 1_000 },
        { state: "settling", at: 1_100 },
        { state: "confirmed", at: 1_300 },
        { state: "held", at: 1_400 },
        { state: "credited", at: 1_500 },
      ],
      createdAt: 1_000,
      expiresAt: 2_000,
      updatedAt: 1_500,
      creditedAt: 1_500,
    });
    expect(await store.findPurchase(id)).toEqual(purchase);
    expect(await store.findPurchase(id, seller)).toEqual(purchase);
    expect(await store.findPurchase(id, other)).toBeUndefined();
    expect(await store.findCredits(seller)).toEqual({ available: 500, held: 0 });
    const { items } = await store.listCreditEntries(seller, { limit: 5 });
    expect(items).toMatchObject([{ kind: "purchase", purchaseId: id, actor: "op", note: "known" }]);
  });

  test.each(states)("in state %s go only where they may", async (state) => {
    const { store } = at();
    for (const to of states) {
      const id = await bringPurchase(store, state);
      const attempt = async () => store.movePurchase(id, state, purchaseSteps[to](next()), 3_000);
      if (purchaseTransitions[to].includes(state)) expect((await attempt())?.state).toBe(to);
      else await expect(attempt()).rejects.toThrow();
    }
  });

  test("from a state that they have left do not move", async () => {
    const { store } = at();
    const id = await bringPurchase(store, "credited");
    expect(await store.movePurchase(id, "held", purchaseSteps.credited(0), 3_000)).toBeUndefined();
    expect(
      await store.movePurchase("pur_none", "held", purchaseSteps.credited(0), 3_000),
    ).toBeUndefined();
  });

  test("approved by many at once: credited once", async () => {
    const { store } = at();
    const id = await bringPurchase(store, "held");
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        store.movePurchase(
          id,
          "held",
          index % 2 ? purchaseSteps.credited(0) : purchaseSteps.rejected(0),
          3_000,
        ),
      ),
    );
    const moved = results.filter((result) => result !== undefined);
    expect(moved).toHaveLength(1);
    const available = moved[0]?.state === "credited" ? 500 : 0;
    expect(await store.findCredits(seller)).toEqual({ available, held: 0 });
  });

  test("by one payment: only the first; a duplicate in the same transaction is another log", async () => {
    const { store } = at();
    const [one, two] = [
      await bringPurchase(store, "settling"),
      await bringPurchase(store, "settling"),
    ];
    expect(
      await store.movePurchase(one, "settling", purchaseSteps.confirmed(77), 3_000),
    ).toBeDefined();
    expect(
      await store.movePurchase(two, "settling", purchaseSteps.confirmed(77), 3_000),
    ).toBeUndefined();
    expect(await store.findPurchase(two)).toMatchObject({ state: "settling", transaction: null });
    expect(
      await store.movePurchase(two, "settling", purchaseSteps.confirmed(78), 3_000),
    ).toBeDefined();
  });

  test("one account awaits only so many", async () => {
    const { store } = at();
    const one = { chainId, payer: null, credits: 1, units: 1_000n, createdAt: 1, expiresAt: 2 };
    const create = (account: Address) =>
      store.createPurchase({ ...one, id: `pur_${next()}`, account }, { awaitingMax: 2 });
    expect(await create(other)).toBe(true);
    const made = await Promise.all([create(seller), create(seller), create(seller)]);
    expect(made.filter(Boolean)).toHaveLength(2);
  });

  test("are listed in pages, by state, and summed", async () => {
    const { store } = at();
    const ids = [];
    for (let index = 0; index < 5; index++) {
      // Two at the same moment: the page between them goes by id.
      ids.push(await purchased(store, { createdAt: 1_000 + Math.floor(index / 2) }));
    }
    await purchased(store, { account: other });
    const seen: string[] = [];
    let place: TimeCursor | undefined;
    do {
      const page = await store.listPurchases(seller, { from: place, limit: 2 });
      seen.push(...page.items.map(({ id }) => id));
      place = page.next ?? undefined;
    } while (place);
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect(await store.sumPurchases(seller, 0)).toBe(0n);
    await store.movePurchase(String(ids[0]), "awaiting_payment", purchaseSteps.settling(0), 2_000);
    await store.movePurchase(String(ids[4]), "awaiting_payment", purchaseSteps.settling(0), 1_900);
    expect(await store.sumPurchases(seller, 1_000)).toBe(1_000_000n);
    expect(await store.sumPurchases(seller, 1_001)).toBe(500_000n);
    const settling = await store.listPurchasesIn("settling", { limit: 1 });
    expect(settling.items.map(({ id }) => id)).toEqual([ids[4]]);
    const from = settling.next ?? undefined;
    const following = await store.listPurchasesIn("settling", { from, limit: 1 });
    expect(following).toMatchObject({ items: [{ id: ids[0] }], next: null });
  });
}

function historyTests(at: StoreAt): void {
  test("is the account's own, filtered, newest first, in pages", async () => {
    const { store } = at();
    const payer: Address = `0x${"99".repeat(20)}`;
    const claims = [
      claimOf({ account: seller, keyId: null, requestId: "req-1" }),
      claimOf({ account: seller, payer }),
      claimOf({ account: other }),
      claimOf(),
      claimOf({ account: seller }),
    ];
    for (const [index, claim] of claims.entries()) {
      await store.claimSettlements([claim], 1_000 * (index + 1));
    }
    const ids = claims.map(({ id }) => id);
    await store.recordConfirmed([{ id: String(ids[0]), mined: minedIn(5) }], 9_000);
    const list = async (filter: HistoryFilter) =>
      (await store.listAccountSettlements(seller, filter, { limit: 10 })).items.map(({ id }) => id);
    expect(await list({})).toEqual([ids[4], ids[1], ids[0]]);
    expect(await list({ payer })).toEqual([ids[1]]);
    expect(await list({ state: "confirmed" })).toEqual([ids[0]]);
    expect(await list({ transaction: hex32(5) })).toEqual([ids[0]]);
    expect(await list({ since: 2_000, before: 5_000 })).toEqual([ids[1]]);
    expect(await list({ keyId: "none" })).toEqual([]);
    expect(await list({ chainId: 50 })).toEqual([]);
    const first = await store.listAccountSettlements(seller, {}, { limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual([ids[4], ids[1]]);
    const from = first.next ?? undefined;
    const rest = await store.listAccountSettlements(seller, {}, { from, limit: 2 });
    expect(rest.items.map(({ id, requestId }) => [id, requestId])).toEqual([[ids[0], "req-1"]]);
    expect(rest.next).toBeNull();
  });

  test("names the transactions that carried a settlement, and their gas", async () => {
    const { store } = at();
    const claims = [claimOf({ account: seller }), claimOf()];
    await store.claimSettlements(claims, 1_000);
    const lease = await held(store);
    const ids = claims.map(({ id }) => id);
    const [sent] = await store.reserveTransactions(lease, [planOf(...ids)], 1_100);
    const id = Number(sent?.id);
    await store.recordSigned(lease, [{ id, raw: "0x01", hash: hex32(41) }], 1_200);
    await store.recordSent(sent ? [sent] : [], 1_300);
    const dearer = await store.replaceTransaction(
      lease,
      Number(sent?.nonce),
      planOf(...ids),
      1_400,
    );
    await store.recordSigned(
      lease,
      [{ id: Number(dearer?.id), raw: "0x02", hash: hex32(42) }],
      1_500,
    );
    await store.recordGas([{ hash: hex32(42), gasUsed: 90_000, gasPrice: 12_500_000_000n }]);
    await store.recordGas([]);
    expect(await store.listCarriers({ id: String(ids[0]), createdAt: 0 })).toMatchObject([
      { hash: hex32(41), state: "sent", createdAt: 1_100, sentAt: 1_300, gasUsed: null },
      {
        hash: hex32(42),
        state: "signed",
        sentAt: null,
        gasUsed: 90_000,
        gasPricePaid: 12_500_000_000n,
        settlements: 2,
      },
    ]);
    expect(await store.listCarriers({ id: "stl_none", createdAt: 0 })).toEqual([]);
  });

  test("is counted by day", async () => {
    const { store } = at();
    await fund(store, seller, 100);
    const day = 24 * 60 * 60 * 1000;
    const claim = async (now: number) => {
      const made = claimOf({ account: seller, price: 2, amount: 2n ** 53n });
      await store.claimSettlements([made], now);
      return made.id;
    };
    const [one, two, failed] = [await claim(day), await claim(2 * day - 1), await claim(day + 5)];
    await claim(2 * day);
    await claim(0);
    await store.claimSettlements([claimOf({ account: other }), claimOf()], day);
    const mined = [one, two].map((id) => ({ id, mined: minedIn(5) }));
    await store.recordConfirmed(mined, 9_000);
    const reverted = { code: "transaction_reverted", message: "m", transaction: null } as const;
    await store.recordFailed([{ id: failed, ...reverted }], 9_000);
    expect(await store.listUsage(seller, { since: day, before: 3 * day, chainId })).toEqual([
      { day: 1, settled: 2, failed: 1, pending: 0, units: 2n ** 54n, credits: 4 },
      { day: 2, settled: 0, failed: 0, pending: 1, units: 0n, credits: 2 },
    ]);
  });
}
