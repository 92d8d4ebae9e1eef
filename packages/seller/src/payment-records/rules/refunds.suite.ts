/** What every store promises about refunds: what a payment has opened ends before its money goes back. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SettledRequest } from "../../events.ts";
import type { PaymentRecords } from "./payment-records.ts";
import type { StoreKind } from "./payment-records.suite.ts";
import { maxRefundNoteMs } from "../retention.ts";
import { binding, buyer, dayMs, leaseOf, receipt, response } from "./payment-records.testing.ts";

const payment: SettledRequest = {
  payer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  amount: "1000",
  network: "eip155:50",
  transaction: "0x1",
  settlementId: "s_1",
};
const sale = { scope: "reports", uses: 100, validForMs: dayMs, isFinalOnly: false };

/** Runs these promises against one store. */
export function refundsSuite(name: string, kind: StoreKind): void {
  // The hooks are for these tests alone, beside whatever else a file has.
  describe("refunds", () => {
    let nowMs: number;
    const now = () => nowMs;
    let stage: Awaited<ReturnType<StoreKind["open"]>>;
    let records: Opened;
    /** Another process that shares the store, where one can. */
    let other: Opened;
    beforeEach(async () => {
      nowMs = 1_000;
      stage = await kind.open();
      records = opened(stage.create({ now }));
      other = kind.isShared ? opened(stage.create({ now })) : records;
    });
    afterEach(() => stage.close());

    const sumOf = async (id: string) =>
      (await records.balances.ledger(id)).reduce((sum, { amount }) => sum + amount, 0n);

    describe(`${name}: a payment that is refunded`, () => {
      test("opens nothing any more, delivered or not", async () => {
        const lease = await leaseOf(records, binding("a"));
        await lease.complete(receipt, response(9));
        const held = await leaseOf(records, binding("b"));
        await held.paid(receipt);
        for (const key of ["a", "b", "unknown"]) {
          expect(await other.refunds.close(key, payment)).toBeUndefined();
          await records.refunds.close(key, payment);
        }
        expect(await held.complete(receipt, response(9))).toBe(false);
        const extra = { ...receipt.extra, refunded: true };
        expect(await records.acquire(binding("a"), buyer)).toEqual({
          kind: "delivered",
          receipt: { ...receipt, extra },
        });
        expect(await records.acquire(binding("b"), buyer)).toMatchObject({
          kind: "delivered",
          receipt: { success: true, extra: { refunded: true } },
        });
        expect(await records.passes.open("a", sale, payment)).toBeUndefined();
        await expect(records.balances.topUp("a", "reports", payment)).rejects.toThrow(/goes back/);
      });

      test("leaves a pass that is void", async () => {
        const sold = await records.passes.open("a", sale, payment);
        if (!sold) throw new Error("The pass is void.");
        expect(await other.refunds.close("a", payment)).toBe("pass");
        expect(await records.passes.take(sold.pass)).toBeUndefined();
        const found = await records.passes.find(sold.token);
        expect(found && records.passes.endOf(found)).toBe("void");
        expect(await records.passes.open("a", sale, payment)).toBeUndefined();
        expect(await records.refunds.close("a", payment)).toBe("pass");
      });

      test("takes all of a top-up that waited for its payment to be final", async () => {
        await records.balances.topUp("a", "reports", payment, 900n);
        expect(await records.refunds.close("a", payment)).toBe("balance");
        const debit = await records.refunds.debit({ key: "a", ordinal: 0 }, undefined, 1_000n);
        expect(debit).toEqual({ kind: "debited", amount: 1_000n });
      });

      test("takes what is left out of its balance, once for each refund, whoever asks at once", async () => {
        const { id } = await records.balances.topUp("a", "reports", payment);
        await records.balances.topUp("b", "reports", payment);
        await records.balances.reserve(id, { useId: "one", amount: 600n });
        await records.balances.charge(id, "one", 600n);
        expect(await other.refunds.close("a", payment)).toBe("balance");
        // Ten calls of each of two refunds: 1,400 are left for both.
        const calls = Array.from({ length: 20 }, (_one, at) => {
          const { refunds } = at % 4 < 2 ? records : other;
          return refunds.debit({ key: at % 2 ? "a" : "b", ordinal: 0 }, undefined, 1_000n);
        });
        const debits = await Promise.all(calls);
        const amounts = [0, 1].map(
          (odd) =>
            new Set(
              debits
                .filter((_one, at) => at % 2 === odd)
                .map((debit) => (debit.kind === "debited" ? debit.amount : debit.kind)),
            ),
        );
        expect(amounts.map((set) => set.size)).toEqual([1, 1]);
        expect(new Set(amounts.flatMap((set) => [...set]))).toEqual(new Set([1_000n, 400n]));
        expect(await sumOf(id)).toBe(0n);
        const next = { key: "a", ordinal: 1 };
        expect(await records.refunds.debit(next, undefined, 600n)).toEqual({ kind: "spent" });
        // An amount that the seller names goes back, whatever is left.
        expect(await records.refunds.debit(next, 5n, 600n)).toEqual({
          kind: "debited",
          amount: 5n,
        });
        expect(await sumOf(id)).toBe(0n);
      });

      test("has one amount once its balance is debited", async () => {
        const { id } = await records.balances.topUp("a", "reports", payment);
        const first = { key: "a", ordinal: 0 };
        const debit = async (asked?: bigint, refund = first) => {
          const result = await records.refunds.debit(refund, asked, 1_000n);
          return "amount" in result ? [result.kind, result.amount] : [result.kind];
        };
        expect(await debit(300n)).toEqual(["debited", 300n]);
        expect(await debit(300n)).toEqual(["debited", 300n]);
        expect(await debit(299n)).toEqual(["begun", 300n]);
        expect(await debit(500n)).toEqual(["begun", 300n]);
        expect(await debit()).toEqual(["debited", 300n]);
        expect(await sumOf(id)).toBe(700n);
        const second = { key: "a", ordinal: 1 };
        expect(await debit(900n, second)).toEqual(["debited", 900n]);
        expect(await sumOf(id)).toBe(0n);
        // More goes back than was left, which is decided as well.
        await records.balances.topUp("b", "reports", payment);
        expect(await debit(900n, second)).toEqual(["debited", 900n]);
        expect(await debit(700n, second)).toEqual(["begun", 900n]);
        expect(await debit(undefined, second)).toEqual(["debited", 900n]);
        expect(await debit(2n, { key: "plain", ordinal: 0 })).toEqual(["debited", 2n]);
        expect(await sumOf(id)).toBe(1_000n);
      });

      test("has one amount, whoever asks for others at the same time", async () => {
        const { id } = await records.balances.topUp("a", "reports", payment);
        const amounts = [300n, 500n, 700n, undefined];
        const calls = Array.from({ length: 16 }, async (_one, at) => {
          const asked = amounts[at % amounts.length];
          const { refunds } = at % 8 < 4 ? records : other;
          const result = await refunds.debit({ key: "a", ordinal: 0 }, asked, 1_000n);
          const { kind, amount } = { amount: 0n, ...result };
          expect(kind).toBe(asked === undefined || asked === amount ? "debited" : "begun");
          return amount;
        });
        const decided = new Set(await Promise.all(calls));
        expect(decided.size).toBe(1);
        const [amount = 0n] = decided;
        expect(await sumOf(id)).toBe(1_000n - amount);
      });

      test("is put back into its balance when it is not made, once, and can then have another amount", async () => {
        const { id } = await records.balances.topUp("a", "reports", payment);
        const first = { key: "a", ordinal: 0 };
        for (const asked of [300n, undefined, 400n]) {
          const amount = asked ?? 1_000n;
          const debit = await records.refunds.debit(first, asked, 1_000n);
          expect(debit).toEqual({ kind: "debited", amount });
          expect(await sumOf(id)).toBe(1_000n - amount);
          await Promise.all([records, other].map(({ refunds }) => refunds.reverse(first)));
          expect(await sumOf(id)).toBe(1_000n);
        }
        await records.refunds.reverse({ key: "plain", ordinal: 0 });
      });

      test("is signed with one end by all who refund at once, until its caller has learned of it", async () => {
        const refund = { key: "a", ordinal: 0 };
        expect(await records.refunds.isUntold(refund, "rest")).toBe(false);
        const ends = [records, other, records].map(({ refunds }, nth) =>
          refunds.begin(refund, "rest", BigInt(100 + nth)),
        );
        expect(new Set(await Promise.all(ends)).size).toBe(1);
        expect(await other.refunds.isUntold(refund, "rest")).toBe(true);
        expect(await other.refunds.isUntold(refund, "5")).toBe(false);
        expect(await other.refunds.isUntold({ ...refund, ordinal: 1 }, "rest")).toBe(false);
        await other.refunds.markTold(refund, "rest");
        expect(await records.refunds.isUntold(refund, "rest")).toBe(false);
        if (kind.forgetsByItself) return;
        await records.refunds.begin(refund, "5", 100n);
        nowMs += maxRefundNoteMs;
        expect(await other.refunds.isUntold(refund, "5")).toBe(false);
      });
    });
  });
}

type Opened = PaymentRecords & Required<Pick<PaymentRecords, "balances" | "passes" | "refunds">>;

function opened(records: PaymentRecords): Opened {
  const { balances, passes, refunds } = records;
  if (balances && passes && refunds) return { ...records, balances, passes, refunds };
  throw new Error("The store keeps no passes or balances.");
}
