/**
 * The gas that contract wallets may burn by reverting, on every database: what a claim reserves, what
 * each outcome leaves, who is proven, and that two processes cannot both take the last of it.
 */
import type { Address } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { type Claim, hourMs } from "@farthing/engine";
import { hoursPerDay } from "@farthing/engine/source/model/keyless";
import type { Failure } from "@farthing/engine/storage";
import { storeForEach, type StoreAt } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  fail,
  held,
  hex32,
  lane,
  minedIn,
  next,
  planOf,
  type StoreBench,
  type ClaimChanges,
} from "./store-values.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

const dayMs = hoursPerDay * hourMs;

/** A time in the middle of an hour and a day. */
const noon = 500 * dayMs + 12 * hourMs + hourMs / 2;

/** Each half holds ten payments; an hour brings five back, rounded up from 4.17. */
const revertedGas = { budgetGwei: 200, reserveGwei: 10 };

/** A payment of a contract wallet of its own, by a caller with a key unless told otherwise. */
function byContract(changes: ClaimChanges = {}): Claim {
  const payer: Address = `0x${next().toString(16).padStart(40, "0")}`;
  return claimOf({ payer, payerHasCode: true, revertedGas, ...changes });
}

const many = (count: number, make = () => byContract()) => Array.from({ length: count }, make);

async function claimAll(
  store: ServiceStore,
  claims: readonly Claim[],
  now = noon,
): Promise<string[]> {
  const results = await store.claimSettlements(claims, now);
  return results.map((one) => (one.kind === "refused" ? one.reason : one.kind));
}

const created = (count: number) => Array.from({ length: count }, () => "created");
const exhausted = (count: number) => Array.from({ length: count }, () => "reverted_gas_exhausted");

/** Gives a settlement a transaction that may burn so much gas at one gwei. */
async function carry(store: ServiceStore, id: string, gasLimit: bigint): Promise<void> {
  const lease = await held(store, "one", lane);
  const plan = { ...planOf(id), gasLimit, gasPrice: 1_000_000_000n };
  const [reserved] = await store.reserveTransactions(lease, [plan], 2);
  if (!reserved) throw new Error("the settlement is carried by another transaction");
  const signed = { id: reserved.id, raw: hex32(next()), hash: hex32(next()) };
  await store.recordSigned(lease, [signed], 3);
}

async function revert(store: ServiceStore, id: string, pausesPayer = true): Promise<void> {
  const code = "transaction_reverted";
  const failure: Failure = { id, code, message: "m", transaction: hex32(9), pausesPayer };
  await store.recordFailed([failure], noon);
}

const confirmBy = (settledBy: "relayer" | "other") => async (store: ServiceStore, id: string) =>
  store.recordConfirmed([{ id, mined: { ...minedIn(100), settledBy } }], noon);

/** Reverts a settlement in a transaction with such a gas limit; the second word of it changes nothing. */
function reverting(limit: bigint) {
  return async (store: ServiceStore, id: string) => {
    await carry(store, id, limit);
    await revert(store, id);
    await revert(store, id);
  };
}

/** A payment of a wallet that is settled and final. */
async function settle(store: ServiceStore, payer: Address, now: number): Promise<void> {
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
  test("callers of every kind share one budget; plain payers never touch it", async () => {
    const { store } = at();
    const keyless = { callerNetwork: "n", payerCountMax: null, gas: null };
    const claims = [...many(4), ...many(4, () => byContract({ keyless })), ...many(4)];
    expect(await claimAll(store, claims)).toEqual([...created(10), ...exhausted(2)]);
    expect(await claimAll(store, [claimOf({ revertedGas })])).toEqual(["created"]);
    expect(await claimAll(store, [byContract({ revertedGas: undefined })])).toEqual(["created"]);
    expect(await store.readRevertedGas(chainId, noon)).toEqual({ open: 100, proven: 0 });
    expect(await store.readRevertedGas(50, noon)).toEqual({ open: 0, proven: 0 });
  });

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
    end: (store: ServiceStore, id: string) => Promise<unknown>,
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

  test("reverts use up no caller's share of the keyless budget", async () => {
    const { store } = at();
    const gas = { budgetGwei: 200, plainGwei: 1, contractGwei: 4 };
    const keyless = { callerNetwork: "shop", payerCountMax: null, gas };
    const claims = many(2, () => byContract({ keyless }));
    expect(await claimAll(store, [...claims, byContract({ keyless })])).toEqual([
      ...created(2),
      "caller_gas_share_used",
    ]);
    for (const { id } of claims) {
      await carry(store, id, 4n);
      await revert(store, id);
    }
    expect(await store.readKeylessGas(chainId, noon)).toEqual({ open: 0, proven: 0 });
    const honest = byContract({ keyless });
    expect(await claimAll(store, [honest])).toEqual(["created"]);
    await carry(store, honest.id, 3n);
    await confirmBy("relayer")(store, honest.id);
    expect(await store.readKeylessGas(chainId, noon)).toEqual({ open: 3, proven: 0 });
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
