/**
 * The gas that contract wallets may burn by reverting, on every database: what a claim reserves, what
 * each outcome leaves, who is proven, and that two processes cannot both take the last of it.
 */
import type { Address } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { hourMs } from "../../src/index.ts";
import {
  byContract,
  carry,
  claimAll,
  confirmBy,
  created,
  dayMs,
  exhausted,
  many,
  noon,
  revert,
  revertedGas,
} from "./reverted-gas.testing.ts";
import { storeForEach, type StoreAt } from "./store-benches.testing.ts";
import {
  chainId,
  fail,
  minedIn,
  next,
  type StoreBench,
  type TestStore,
} from "./store-values.testing.ts";

/** Reverts a settlement in a transaction with such a gas limit; the second word of it changes nothing. */
function reverting(limit: bigint) {
  return async (store: TestStore, id: string) => {
    await carry(store, id, limit);
    await revert(store, id);
    await revert(store, id);
  };
}

/** A payment of a wallet that is settled and final. */
async function settle(store: TestStore, payer: Address, now: number): Promise<void> {
  const claim = byContract({ payer });
  expect(await claimAll(store, [claim], now)).toEqual(["created"]);
  const mined = minedIn(next());
  await store.recordConfirmed([{ id: claim.id, mined }], now);
  await store.recordFinalized(chainId, mined.blockNumber, now);
}

/** The tests, on databases that `start` makes. */
export function revertedGasSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);
  describe("what is reserved", () => reservationTests(at));
  describe("what an outcome leaves", () => outcomeTests(at));
  describe("proven payers", () => provenTests(at));
}

function reservationTests(at: StoreAt): void {
  test("/verify stops at 95 %; a repeat reserves nothing; it refills by the hour", async () => {
    const { store } = at();
    const ask = (now = noon) =>
      store.hasRevertedGas([{ chainId, payer: byContract().payer, terms: revertedGas }], now);
    const claims = many(9);
    expect(await claimAll(store, claims.slice(0, 8))).toEqual(created(8));
    expect(await ask()).toEqual([true]);
    expect(await claimAll(store, claims)).toEqual([
      ...claims.slice(0, 8).map(() => "existing"),
      "created",
    ]);
    expect(await ask()).toEqual([false]);
    expect(await claimAll(store, many(2))).toEqual([...created(1), ...exhausted(1)]);
    expect(await claimAll(store, many(2), noon + 2 * hourMs)).toEqual([
      ...created(1),
      ...exhausted(1),
    ]);
    expect(await store.readRevertedGas(chainId, noon + 2 * dayMs)).toEqual({ open: 0, proven: 0 });
  });

  test("two processes that want the last of it get what there is, no more", async () => {
    const { store, bench } = at();
    const other = await bench.open();
    try {
      const results = await Promise.all(
        many(20).map((claim, index) => claimAll(index % 2 === 0 ? store : other, [claim])),
      );
      expect(results.flat().toSorted()).toEqual([...created(10), ...exhausted(10)]);
    } finally {
      await other.close();
    }
  });
}

function outcomeTests(at: StoreAt): void {
  /** What is counted once a claim that was carried, or not, has its outcome. */
  async function openAfter(
    end: (store: TestStore, id: string) => Promise<unknown>,
  ): Promise<number> {
    const { store } = at();
    const claim = byContract();
    await claimAll(store, [claim]);
    await end(store, claim.id);
    return (await store.readRevertedGas(chainId, noon)).open;
  }

  test("a payment that went through, or was never sent, leaves nothing", async () => {
    expect(await openAfter(confirmBy("relayer"))).toBe(0);
    expect(await openAfter((store, id) => fail(store, id))).toBe(0);
    expect(await openAfter(confirmBy("other"))).toBe(0);
  });

  test("a revert leaves what its transaction could burn, more than was reserved included", async () => {
    expect(await openAfter(reverting(3n))).toBe(3);
    expect(await openAfter(reverting(12n))).toBe(15);
  });

  test("so does a payment that somebody else settled while our transaction reverted", async () => {
    const left = await openAfter(async (store, id) => {
      await carry(store, id, 4n);
      await confirmBy("other")(store, id);
    });
    expect(left).toBe(4);
  });
}

function provenTests(at: StoreAt): void {
  const wallet: Address = `0x${"5a".repeat(20)}`;
  const tomorrow = noon + dayMs;

  test("a final settlement of an earlier day opens a half that new wallets cannot use up", async () => {
    const { store } = at();
    await settle(store, wallet, noon);
    expect(await claimAll(store, many(10))).toEqual(created(10));
    // The day is not over.
    expect(await claimAll(store, [byContract({ payer: wallet })])).toEqual(exhausted(1));
    await claimAll(store, many(10), tomorrow);
    expect(await claimAll(store, [byContract()], tomorrow)).toEqual(exhausted(1));
    const ask = { chainId, payer: wallet, terms: revertedGas };
    expect(await store.hasRevertedGas([ask], tomorrow)).toEqual([true]);
    expect(await claimAll(store, [byContract({ payer: wallet })], tomorrow)).toEqual(["created"]);
    expect(await store.readRevertedGas(chainId, tomorrow)).toEqual({ open: 100, proven: 10 });
    const asked = [wallet, byContract().payer];
    expect(await store.findProvenPayers(chainId, asked, noon)).toEqual([false, false]);
    expect(await store.findProvenPayers(chainId, asked, tomorrow)).toEqual([true, false]);
  });

  test("what is confirmed and not final proves nothing, nor does a quarter without payments", async () => {
    const { store } = at();
    const claim = byContract({ payer: wallet });
    await claimAll(store, [claim]);
    await store.recordConfirmed([{ id: claim.id, mined: minedIn(100) }], noon);
    await claimAll(store, many(10), tomorrow);
    expect(await claimAll(store, [byContract({ payer: wallet })], tomorrow)).toEqual(exhausted(1));
    await store.recordFinalized(chainId, 100, noon);
    expect(await claimAll(store, [byContract({ payer: wallet })], tomorrow)).toEqual(["created"]);
    const later = noon + 91 * dayMs;
    await claimAll(store, many(10), later);
    expect(await claimAll(store, [byContract({ payer: wallet })], later)).toEqual(exhausted(1));
  });

  test("a revert takes it away until the day after the next final settlement", async () => {
    const { store } = at();
    await settle(store, wallet, noon);
    const hostile = byContract({ payer: wallet });
    await claimAll(store, [hostile], tomorrow);
    await carry(store, hostile.id, 10n);
    await revert(store, hostile.id);
    expect(await store.readRevertedGas(chainId, tomorrow)).toEqual({ open: 0, proven: 10 });
    await settle(store, wallet, tomorrow);
    await claimAll(store, many(10), tomorrow);
    expect(await claimAll(store, [byContract({ payer: wallet })], tomorrow)).toEqual(exhausted(1));
    const after = tomorrow + dayMs;
    await claimAll(store, many(10), after);
    expect(await claimAll(store, [byContract({ payer: wallet })], after)).toEqual(["created"]);
  });
}
