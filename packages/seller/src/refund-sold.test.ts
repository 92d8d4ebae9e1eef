/** `seller.refund` of what passes and balances were bought with, also where a process dies. */
import { apothem, refundNonce, type RefundablePayment } from "@farthing/protocol";
import { beforeEach, expect, test } from "vitest";
import type { Clock } from "./clock.ts";
import { paymentKey } from "./exchange/binding.ts";
import type { Facilitator, RefundCalls } from "./facilitator.ts";
import { createMemoryGrants, type PaymentRecords } from "./index.ts";
import { createRefund, type RefundOutcome } from "./refund.ts";

const payTo = `0x${"22".repeat(20)}` as const;
const payer = `0x${"11".repeat(20)}` as const;
const signer = { address: payTo, signTypedData: async () => "0x1234" as const };
const paid = 1_000n;

let nowMs: number;
let records: PaymentRecords & Required<Pick<PaymentRecords, "balances" | "passes" | "refunds">>;
beforeEach(() => {
  nowMs = 1_700_000_000_000;
  const { balances, passes, refunds, ...others } = createMemoryGrants({ now: () => nowMs });
  if (!balances || !passes || !refunds) throw new Error("The store keeps no balances.");
  records = { ...others, balances, passes, refunds };
});

const clock: Clock = {
  now: () => nowMs,
  async sleep(ms) {
    nowMs += ms;
  },
};

function paymentOf(settlementId: string): RefundablePayment {
  const nonce = `0x${settlementId.slice(-2).padStart(64, "0")}` as const;
  const { chainId, usdc: asset } = apothem;
  const facts = { network: apothem, chainId, asset, payer, nonce, payTo };
  return { ...facts, rest: paid, ordinal: 0, refunds: [], opens: undefined, isFinal: true };
}

/** Takes refunds as the facilitator does, and may lose its responses. */
function startFacilitator(changes: Partial<RefundablePayment> = {}) {
  const taken = new Map<string, { id: string; ordinal: number; amount: bigint }[]>();
  const state = { lose: false, finds: 0, finalAtMs: 0 };
  const refundsOf = (id: string) => taken.get(id) ?? [];
  const sumOf = (id: string) => refundsOf(id).reduce((sum, { amount }) => sum + amount, 0n);
  const calls: RefundCalls = {
    async find(id) {
      state.finds++;
      const refunds = refundsOf(id).map(({ amount, ...one }) => {
        const more = { state: "confirmed", transaction: "0xab" };
        return { ...one, ...more, amount: amount.toString() };
      });
      const more = { rest: paid - sumOf(id), ordinal: refunds.length, refunds };
      const isFinal = nowMs >= state.finalAtMs;
      return { kind: "payment", payment: { ...paymentOf(id), ...more, isFinal, ...changes } };
    },
    async send({ settlementId, authorization }) {
      const amount = BigInt(authorization.value);
      const ordinal = [0, 1, 2].find(
        (one) => refundNonce(paymentOf(settlementId), one) === authorization.nonce,
      );
      const refunds = refundsOf(settlementId);
      const known = refunds.find((one) => one.ordinal === ordinal);
      const isNext = ordinal === refunds.length && sumOf(settlementId) + amount <= paid;
      if (known ? known.amount !== amount : !isNext) throw new Error("A wrong refund was signed.");
      const id = `${settlementId}/${ordinal}`;
      if (!known) taken.set(settlementId, [...refunds, { id, ordinal: refunds.length, amount }]);
      if (state.lose) return { kind: "fault", reason: "timed_out", message: "late" };
      const settlement = { success: true, network: apothem.id, transaction: "0xab", id };
      return { kind: "settlement", settlement };
    },
  };
  const facilitator: Pick<Facilitator, "refunds"> = { refunds: calls };
  return { facilitator, calls, state, sumOf, refundsOf };
}

async function topUp(settlementId: string) {
  const facts = { payer, amount: paid.toString(), network: apothem.id, transaction: "0x1" };
  const key = paymentKey(paymentOf(settlementId));
  return records.balances.topUp(key, "reports", { ...facts, settlementId });
}

async function spend(id: string, cost: bigint): Promise<void> {
  await records.balances.reserve(id, { useId: "one", amount: cost });
  await records.balances.charge(id, "one", cost);
}

const amountOf = (outcome: RefundOutcome) =>
  outcome.kind === "refund" ? outcome.amount : outcome.kind;
const leftIn = async (id: string) =>
  (await records.balances.ledger(id)).reduce((sum, { amount }) => sum + amount, 0n);

test("refunds of several payments of one balance, at once, return what is left of it", async () => {
  const { facilitator, sumOf, refundsOf } = startFacilitator();
  const { id } = await topUp("stl_01");
  await topUp("stl_02");
  await spend(id, 600n);
  const refund = createRefund({ facilitator, signer, clock, records });
  const calls = ["stl_01", "stl_02", "stl_01", "stl_02"].map((payment) => refund(payment));
  const amounts = (await Promise.all(calls)).map(amountOf);
  expect(amounts.slice(0, 2).toSorted()).toEqual(["1000", "400"]);
  expect(amounts.slice(2)).toEqual(amounts.slice(0, 2));
  expect([sumOf("stl_01") + sumOf("stl_02"), await leftIn(id)]).toEqual([1_400n, 0n]);
  expect([refundsOf("stl_01").length, refundsOf("stl_02").length]).toEqual([1, 1]);
});

test.each([false, true])("a process that dies at any step, done before: %s", async (isDone) => {
  const { facilitator, calls, sumOf } = startFacilitator();
  let hasDied = true;
  for (let nth = 1; hasDied; nth++) {
    const payment = `stl_${nth.toString().padStart(2, "0")}`;
    const { id } = await topUp(payment);
    await spend(id, 600n);
    let steps = 0;
    const step = async <T>(work: () => Promise<T>): Promise<T> => {
      steps++;
      if (steps < nth) return work();
      if (steps === nth && isDone) await work();
      throw new Error("The process has died.");
    };
    const { close, debit, begin, isUntold, markTold } = records.refunds;
    const dying = createRefund({
      clock,
      facilitator: {
        refunds: {
          find: calls.find,
          send: async (...sent) => step(async () => calls.send(...sent)),
        },
      },
      signer: { ...signer, signTypedData: async () => step(signer.signTypedData) },
      records: {
        refunds: {
          close: async (...values) => step(async () => close(...values)),
          debit: async (...values) => step(async () => debit(...values)),
          begin: async (...values) => step(async () => begin(...values)),
          isUntold,
          markTold: async (...values) => step(async () => markTold(...values)),
        },
      },
    });
    const first = await dying(payment).catch(() => undefined);
    hasDied = steps >= nth;
    // What is left of all payments: each round pays 1000 and spends 600 of them once.
    const refund = createRefund({ facilitator, signer, clock, records });
    const again = first ?? (await refund(payment));
    const amount = nth === 1 ? 400n : 1_000n;
    // A process that dies after its last step has noted that its caller knows.
    const isNoted = isDone && nth === 6 && hasDied;
    expect([nth, amountOf(again)]).toEqual([nth, isNoted ? "refused" : `${amount}`]);
    expect([nth, sumOf(payment)]).toEqual([nth, amount]);
    expect([nth, await leftIn(id)]).toEqual([nth, 0n]);
  }
});

test("a call without an outcome is repeated, and one with an outcome is not", async () => {
  const { facilitator, state, refundsOf } = startFacilitator();
  const refund = createRefund({ facilitator, signer, clock, records });
  state.lose = true;
  expect((await refund("stl_01", 400n)).kind).toBe("fault");
  state.lose = false;
  const other = createRefund({ facilitator, signer, clock, records });
  const repeated = await other("stl_01", 400n);
  expect(repeated).toMatchObject({ kind: "refund", status: "confirmed", id: "stl_01/0" });
  expect(await refund("stl_01", 400n)).toMatchObject({ kind: "refund", id: "stl_01/1" });
  expect(await refund("stl_01")).toMatchObject({ kind: "refund", amount: "200" });
  expect(await refund("stl_02", 300n)).toMatchObject({ kind: "refund", id: "stl_02/0" });
  expect(await refund("stl_02", 300n)).toMatchObject({ kind: "refund", id: "stl_02/1" });
  expect(refundsOf("stl_01").map(({ amount }) => amount)).toEqual([400n, 400n, 200n]);
});

test("what was sold elsewhere is not refunded behind the back of its store", async () => {
  const { facilitator, refundsOf } = startFacilitator({ opens: "balance" });
  const alone = createRefund({ facilitator, signer, clock, records, isOwnStore: true });
  expect(await alone("stl_01")).toMatchObject({ kind: "refused", code: "sale_not_here" });
  expect(refundsOf("stl_01")).toEqual([]);
  await topUp("stl_02");
  expect(await alone("stl_02")).toMatchObject({ kind: "refund", amount: "1000" });
});

test("a refund can wait until its payment is final, which is closed meanwhile", async () => {
  const { facilitator, state, refundsOf } = startFacilitator();
  state.finalAtMs = nowMs + 10_000;
  const refund = createRefund({ facilitator, signer, clock, records });
  const refused = { kind: "refused", code: "settlement_not_refundable" };
  expect(await refund("stl_01")).toMatchObject(refused);
  await topUp("stl_01");
  expect(await refund("stl_01", undefined, { waitMs: 9_000 })).toMatchObject(refused);
  await expect(topUp("stl_01")).resolves.toMatchObject({ amount: paid });
  await refund("stl_02", undefined, { waitMs: 100 });
  await expect(topUp("stl_02")).rejects.toThrow(/goes back/);
  const done = await refund("stl_01", undefined, { waitMs: 9_000 });
  expect(done).toMatchObject({ kind: "refund", amount: "1000" });
  expect(refundsOf("stl_01")).toHaveLength(1);
});
