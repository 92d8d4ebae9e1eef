/** Contract payers whose transactions revert, and company that makes a batch revert. */
import type { Address } from "@farthing/protocol";
import { beforeEach, expect, test } from "vitest";
import type { RelayerTransaction, WalletLease } from "../../src/model/relayer-transaction.ts";
import { storesForEach } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  held,
  hex32,
  lane,
  next,
  otherLane,
  planOf,
  take,
  type StoreBench,
  type TestStore,
} from "./store-values.testing.ts";

const wallet: Address = `0x${"cc".repeat(20)}`;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The tests, on databases that `start` makes. */
export function contractPayersSuite(start: () => Promise<StoreBench>): void {
  const storeAt = storesForEach(start, 2);
  let store: TestStore;
  let other: TestStore;
  beforeEach(() => {
    store = storeAt(0);
    other = storeAt(1);
  });

  async function claimed(payer = wallet, payerHasCode = true): Promise<string> {
    const claim = claimOf({ payer, payerHasCode });
    await store.claimSettlements([claim], 1);
    return claim.id;
  }

  async function sign(lease: WalletLease, one: RelayerTransaction | undefined): Promise<void> {
    const bytes = { id: one?.id ?? 0, raw: hex32(next()), hash: hex32(next()) };
    await store.recordSigned(lease, [bytes], 3);
  }

  async function failAt(now: number, pausesPayer: boolean): Promise<void> {
    const code = "transaction_reverted";
    const failure = { id: await claimed(), code, message: "m", transaction: null } as const;
    await store.recordFailed([{ ...failure, pausesPayer }], now);
  }

  /** How long the payer waits, from a moment on. */
  async function pauseFrom(now: number, of: TestStore = store): Promise<number | undefined> {
    const [pause] = await of.findPayerPauses(chainId, [wallet]);
    return pause && pause.pausedUntilMs - now;
  }

  test("each revert pauses its payer for longer, at most six hours; a quiet day ends that", async () => {
    await failAt(1, false);
    expect(await pauseFrom(1)).toBeUndefined();
    const pauses: (number | undefined)[] = [];
    let now = 1;
    for (let revert = 0; revert < 10; revert++) {
      await failAt(now, true);
      pauses.push(await pauseFrom(now, other));
      now += pauses.at(-1) ?? 0;
    }
    const minutes = pauses.map((pause) => (pause ?? 0) / minuteMs);
    expect(minutes).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
    now += dayMs + 1;
    await failAt(now, true);
    expect(await pauseFrom(now)).toBe(2 * minuteMs);
  });

  test("the same failure told twice counts once", async () => {
    const id = await claimed();
    const code = "transaction_reverted";
    const failure = { id, code, message: "m", transaction: null, pausesPayer: true } as const;
    await store.recordFailed([failure], 1);
    await other.recordFailed([failure], 2);
    expect(await pauseFrom(1)).toBe(2 * minuteMs);
  });

  test("a contract payer has as many payments on their way as allowed, in all wallets together", async () => {
    const [first, second, plain] = [
      await claimed(),
      await claimed(),
      await claimed(hexAddress(), false),
    ];
    const payerLimit = { payer: wallet, max: 1 };
    const lease = await held(store);
    const elsewhere = await held(other, "two", otherLane);
    const plan = (id: string) => ({ ...planOf(id), payerLimit });
    const [taken, ...more] = await store.reserveTransactions(lease, [first, second].map(plan), 2);
    expect([taken?.settlementIds, more]).toEqual([[first], []]);
    expect(await other.reserveTransactions(elsewhere, [plan(second)], 2)).toEqual([]);
    expect(await other.reserveTransactions(elsewhere, [planOf(plain)], 2)).toHaveLength(1);
    await store.closeTransactions(taken ? [taken] : [], "mined", 5);
    expect(await other.reserveTransactions(elsewhere, [plan(second)], 3)).toHaveLength(1);
  });

  test("what reverted in company twice is told, and its earlier carriers stay closed", async () => {
    const ids = [await claimed(hexAddress(), false), await claimed(hexAddress(), false)];
    const [once = "", twice = ""] = ids;
    const lease = await held(store);
    // What another transaction took the nonce of has reverted nowhere.
    const [never] = await store.reserveTransactions(lease, [planOf(once)], 2);
    await sign(lease, never);
    await store.closeTransactions(never ? [never] : [], "dropped");
    expect(await store.requeueSettlements([once], 6, 4)).toHaveLength(1);
    for (const carried of [ids, [twice]]) {
      const [reserved] = await store.reserveTransactions(lease, [planOf(...carried)], 2);
      await sign(lease, reserved);
      await store.closeTransactions(reserved ? [reserved] : [], "mined", 5);
      // Its block may be gone, and the transaction be mined again.
      expect(await store.requeueSettlements(carried, 6, 4)).toEqual([]);
      expect(await store.requeueSettlements(carried, 6, 5)).toHaveLength(carried.length);
    }
    expect([...(await other.findRevertedTwice(ids))]).toEqual([twice]);
    // Carried again: a start opens the nonces that carry them, not those that are final, also where one
    // of another wallet has the same number.
    const [third] = await store.reserveTransactions(lease, [planOf(once)], 6);
    const nonceFloor = third ? third.nonce - 1 : 0;
    const elsewhere = await take(store, "two", { lane: otherLane, nonceFloor });
    if (!elsewhere) throw new Error("another process holds the wallet");
    const [fourth] = await store.reserveTransactions(elsewhere, [planOf(twice)], 6);
    await sign(lease, third);
    await sign(elsewhere, fourth);
    await store.reopenTransactions(chainId, { settlementIds: ids });
    const openIn = async (at: Address) =>
      (await store.listOpenTransactions(chainId, at)).map(({ id }) => id);
    expect([await openIn(lane), await openIn(otherLane)]).toEqual([[third?.id], [fourth?.id]]);
  });
}

/** An address that was not there before. */
function hexAddress(): Address {
  return `0x${next().toString(16).padStart(40, "0")}`;
}
