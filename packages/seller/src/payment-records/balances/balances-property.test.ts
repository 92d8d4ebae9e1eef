/**
 * Under any schedule of several processes, of which any call may die before or after its step, no
 * money appears or is lost: payments, ledger and paybacks sum up to zero, and nothing is owed twice.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BalanceStore, LedgerEntry } from "./balance-store.ts";
import { availableOf, createBalances, reversalKey, type Balances } from "./balances.ts";
import { createMemoryBalanceStore } from "../memory/balance-store.ts";
import { maxReserveMs, maxSuspendedMs } from "../retention.ts";

const reserve = 100n;
const payment = {
  payer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  amount: "250",
  network: "eip155:50",
  transaction: "0x1",
};

/** How a call ends: the process lives, or dies before or after it has changed the store. */
type Fate = "lives" | "dies before" | "dies after";

/** A store as a process sees it whose changes end as `fates` say. */
function mortal(store: BalanceStore, fates: Fate[]): BalanceStore {
  return {
    ...store,
    async compareAndSet(...values) {
      const fate = fates.shift() ?? "lives";
      if (fate === "dies before") throw new Error("The process has died.");
      const isDone = await store.compareAndSet(...values);
      if (fate === "dies after") throw new Error("The process has died.");
      return isDone;
    },
  };
}

async function reverse(balances: Balances, id: string, key: string): Promise<void> {
  const made = (await balances.ledger(id)).find((one) => one.key === key);
  if (made) await balances.reversePayBack(id, made);
}

/** Sums up paybacks: each takes at most what was asked for, and a reversal puts all of that back. */
function paidBackIn(entries: readonly LedgerEntry[], asked: ReadonlyMap<string, bigint>): bigint {
  const sums = [...asked].map(([name, amount]) => {
    const made = entries.filter(({ key }) => key === name || key === reversalKey(name));
    const taken = made.reduce((sum, entry) => sum - entry.amount, 0n);
    expect(taken >= 0n && taken <= (made.length > 1 ? 0n : amount)).toBe(true);
    return taken;
  });
  return sums.reduce((sum, taken) => sum + taken, 0n);
}

/** Every second payment has to be final. */
const shutOf = (name: string) => (Number(name.at(-1)) % 2 ? 250n - reserve : 0n);

const fate = fc.constantFrom<Fate>("lives", "lives", "lives", "dies before", "dies after");
const step = fc.oneof(
  fc.record({ kind: fc.constant("top-up"), key: fc.nat(5) }),
  fc.record({ kind: fc.constant("payback"), key: fc.nat(3), amount: fc.bigInt(1n, 300n) }),
  fc.record({ kind: fc.constant("reverse"), key: fc.nat(3) }),
  fc.record({ kind: fc.constant("reserve"), key: fc.nat(9) }),
  fc.record({ kind: fc.constant("meter"), key: fc.nat(9), amount: fc.bigInt(0n, 150n) }),
  fc.record({ kind: fc.constant("suspend"), key: fc.nat(9), amount: fc.bigInt(0n, 150n) }),
  fc.record({ kind: fc.constant("charge"), key: fc.nat(9), amount: fc.bigInt(-10n, 150n) }),
  fc.record({ kind: fc.constant("release"), key: fc.nat(9) }),
  fc.record({ kind: fc.constantFrom("final", "void"), key: fc.nat(5) }),
  fc.record({ kind: fc.constant("time"), key: fc.nat(2) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test("payments, ledger and paybacks sum up to zero", async () => {
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(rounds, fc.array(fate, { maxLength: 60 }), async (schedule, fates) => {
      let nowMs = 1;
      const store = createMemoryBalanceStore(10);
      const processes = [0, 1, 2].map(() => createBalances(mortal(store, fates), () => nowMs));
      const living = createBalances(store, () => nowMs);
      const id = await living.idOf("reports", payment);
      const paid = new Set<string>();
      const paidBack = new Map<string, bigint>();
      const held = new Set<string>();

      const run = async ({ kind, key, ...rest }: Step, nth: number): Promise<void> => {
        const balances = processes[nth % processes.length] ?? living;
        const amount = "amount" in rest ? rest.amount : 0n;
        const name = `${kind} ${key}`;
        const useId = `use ${key}`;
        if (kind === "time") nowMs += (key * maxReserveMs) / 2;
        if (kind === "top-up") paid.add(name);
        if (kind === "top-up") await balances.topUp(name, "reports", payment, shutOf(name));
        if (kind === "final" || kind === "void") {
          await balances.settleTopUp(id, `top-up ${key}`, kind);
        }
        if (kind === "payback" && !paidBack.has(name)) {
          paidBack.set(name, amount);
          // Every second one names its amount, which goes back although less may be left.
          if (!(await balances.payBack(id, name, amount, key % 2 > 0))) paidBack.delete(name);
        }
        if (kind === "reverse") await reverse(balances, id, `payback ${key}`);
        if (kind === "reserve") held.add(useId);
        if (kind === "reserve") await balances.reserve(id, { useId, amount: reserve });
        if (kind === "meter") await balances.meter(id, useId, amount);
        if (kind === "suspend") await balances.suspend(id, useId, amount);
        if (kind === "charge" && held.has(useId)) await balances.charge(id, useId, amount);
        if (kind === "release") await balances.release(id, useId);
      };

      for (const round of schedule) {
        await Promise.allSettled(round.map(run));
        const { balance } = await store.get(id);
        if (balance) expect(availableOf(balance)).toBeGreaterThanOrEqual(0n);
      }
      // A buyer who has paid repeats the request until it is answered; a payback is tried again.
      for (const name of paid) await living.topUp(name, "reports", payment, shutOf(name));
      for (const [name, amount] of paidBack) {
        if (!(await living.payBack(id, name, amount))) paidBack.delete(name);
      }
      nowMs += maxSuspendedMs + maxReserveMs;
      await living.release(id, "none");
      const { balance } = await store.get(id);
      const entries = await store.ledger(id);
      const sumOf = (kind: string) =>
        entries.filter((one) => one.kind === kind).reduce((sum, one) => sum + one.amount, 0n);
      const backed = paidBackIn(entries, paidBack);
      expect(sumOf("top-up")).toBe(250n * BigInt(paid.size));
      expect(sumOf("payback")).toBe(-backed);
      const charges = entries.filter(({ kind }) => kind === "charge");
      expect(new Set(charges.map(({ key }) => key)).size).toBe(charges.length);
      for (const { amount } of charges) expect(amount >= -250n * 6n && amount <= 0n).toBe(true);
      // The buyer's payments are what was charged, paid back, taken back as void, and what is left.
      const left = balance?.amount ?? 0n;
      const taken = sumOf("charge") + sumOf("void") - backed;
      expect(250n * BigInt(paid.size) + taken - left).toBe(0n);
      expect(balance?.reserves ?? []).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
