/** A shop in memory whose sales are refunded, and a facilitator that takes refunds as ours does. */
import { apothem, refundNonce, type RefundablePayment } from "@farthing/protocol";
import type { Clock } from "./clock.ts";
import { paymentKey } from "./exchange/binding.ts";
import type { RefundCalls } from "./facilitator.ts";
import { createMemoryGrants, type PaymentRecords } from "./index.ts";
import type { RefundOutcome } from "./refund.ts";

const payTo = `0x${"22".repeat(20)}` as const;
const payer = `0x${"11".repeat(20)}` as const;
export const signer = { address: payTo, signTypedData: async () => "0x1234" as const };

/** Base units of each payment. */
export const paid = 1_000n;

type Records = PaymentRecords & Required<Pick<PaymentRecords, "balances" | "passes" | "refunds">>;

export function openRefundShop() {
  let nowMs = 1_700_000_000_000;
  const clock: Clock = {
    now: () => nowMs,
    async sleep(ms) {
      nowMs += ms;
    },
  };
  const { balances, passes, refunds, ...others } = createMemoryGrants({ now: () => nowMs });
  if (!balances || !passes || !refunds) throw new Error("The store keeps no balances.");
  const records: Records = { ...others, balances, passes, refunds };
  return {
    clock,
    records,
    /** Adds a payment to the buyer's balance; `shut` base units of it wait until it is final. */
    topUp(settlementId: string, shut = 0n) {
      const facts = { payer, amount: paid.toString(), network: apothem.id, transaction: "0x1" };
      const key = paymentKey(paymentOf(settlementId));
      return balances.topUp(key, "reports", { ...facts, settlementId }, shut);
    },
    async spend(id: string, cost: bigint, useId = "one") {
      await balances.reserve(id, { useId, amount: cost });
      await balances.charge(id, useId, cost);
    },
    leftIn: async (id: string) =>
      (await balances.ledger(id)).reduce((sum, { amount }) => sum + amount, 0n),
  };
}

export type RefundShop = ReturnType<typeof openRefundShop>;

function paymentOf(settlementId: string): RefundablePayment {
  const nonce = `0x${settlementId.slice(-2).padStart(64, "0")}` as const;
  const { chainId, usdc: asset } = apothem;
  const facts = { network: apothem, chainId, asset, payer, nonce, payTo };
  const refunds = { rest: paid, minAmount: 0n, ordinal: 0, refunds: [] };
  return { ...facts, ...refunds, opens: undefined, isFinal: true };
}

/** Takes refunds as the facilitator does, and may lose its responses. */
export function startRefundFacilitator(
  { clock }: Pick<RefundShop, "clock">,
  changes: Partial<RefundablePayment> = {},
) {
  const taken = new Map<string, { id: string; ordinal: number; amount: bigint }[]>();
  const state = { lose: false, finds: 0, finalAtMs: 0, minAmount: 0n, tellsMin: true, refuse: "" };
  const refundsOf = (id: string) => taken.get(id) ?? [];
  const sumOf = (id: string) => refundsOf(id).reduce((sum, { amount }) => sum + amount, 0n);
  const calls: RefundCalls = {
    async find(id) {
      state.finds++;
      const refunds = refundsOf(id).map(({ amount, ...one }) => {
        const more = { state: "confirmed", transaction: "0xab" };
        return { ...one, ...more, amount: amount.toString() };
      });
      const minAmount = state.tellsMin ? state.minAmount : 0n;
      const more = { rest: paid - sumOf(id), minAmount, ordinal: refunds.length, refunds };
      const isFinal = clock.now() >= state.finalAtMs;
      return { kind: "payment", payment: { ...paymentOf(id), ...more, isFinal, ...changes } };
    },
    async send({ settlementId, authorization }) {
      const amount = BigInt(authorization.value);
      const ordinal = [0, 1, 2].find(
        (one) => refundNonce(paymentOf(settlementId), one) === authorization.nonce,
      );
      const refunds = refundsOf(settlementId);
      const known = refunds.find((one) => one.ordinal === ordinal);
      const rest = paid - sumOf(settlementId);
      const isNext = ordinal === refunds.length && amount <= rest;
      if (known ? known.amount !== amount : !isNext) throw new Error("A wrong refund was signed.");
      const facts = { network: apothem.id, transaction: "0xab" };
      const isTooSmall = !known && amount < state.minAmount && amount !== rest;
      if (isTooSmall || state.refuse !== "") {
        const errorReason = isTooSmall ? "amount_below_minimum" : state.refuse;
        const why = { errorReason, errorMessage: "It is refused." };
        return { kind: "settlement", settlement: { ...facts, ...why, success: false } };
      }
      const id = `${settlementId}/${ordinal}`;
      if (!known) taken.set(settlementId, [...refunds, { id, ordinal: refunds.length, amount }]);
      if (state.lose) return { kind: "fault", reason: "timed_out", message: "late" };
      return { kind: "settlement", settlement: { ...facts, success: true, id } };
    },
  };
  return { facilitator: { refunds: calls }, calls, state, sumOf, refundsOf };
}

export const amountOf = (outcome: RefundOutcome) =>
  outcome.kind === "refund" ? outcome.amount : outcome.kind;

/** Ends a process at its nth step of a refund that another process could see. */
export function dieAt(
  nth: number,
  isDone: boolean,
  shop: RefundShop,
  { calls }: { readonly calls: RefundCalls },
) {
  let steps = 0;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    steps++;
    if (steps < nth) return work();
    if (steps === nth && isDone) await work();
    throw new Error("The process has died.");
  };
  const { refunds } = shop.records;
  const { close, debit, begin, markTold } = refunds;
  return {
    hasDied: () => steps >= nth,
    deps: {
      clock: shop.clock,
      facilitator: {
        refunds: {
          find: calls.find,
          send: async (...sent: Parameters<typeof calls.send>) =>
            step(async () => calls.send(...sent)),
        },
      },
      signer: { ...signer, signTypedData: async () => step(signer.signTypedData) },
      records: {
        refunds: {
          ...refunds,
          close: async (...values: Parameters<typeof close>) => step(async () => close(...values)),
          debit: async (...values: Parameters<typeof debit>) => step(async () => debit(...values)),
          begin: async (...values: Parameters<typeof begin>) => step(async () => begin(...values)),
          markTold: async (...values: Parameters<typeof markTold>) =>
            step(async () => markTold(...values)),
        },
      },
    },
  };
}
