/**
 * Pays a balance back: what is left of it goes back over the payments that have topped it up, the
 * oldest first, with at most one refund of each. A repeated call continues what was begun.
 */
import { refundProblem, type RefundablePayment } from "@farthing/protocol";
import type { PaidRequest } from "./events.ts";
import type { AccountProblem, Fault } from "./facilitator.ts";
import type { ToppedUp } from "./payment-records/rules/refunds.ts";
import {
  awaitFinal,
  close,
  createRefund,
  findPayment,
  findUntold,
  openRefunder,
  refused,
  signAndSend,
  type Refund,
  type Refunder,
  type Refunding,
  type RefundCallOptions,
  type RefundDeps,
  type RefundOutcome,
} from "./refund.ts";

/** What became of one payment that has topped up the balance. */
export interface TopUpRefund {
  readonly settlementId: string;
  readonly outcome: RefundOutcome;
}

export type BalanceRefundOutcome =
  | {
      readonly kind: "balance";
      /** Those that this call has made or continued, and what hindered others. */
      readonly refunds: readonly TopUpRefund[];
      /** USDC base units that go back by them. */
      readonly amount: string;
      /** USDC base units that can still be spent, or paid back by another call. */
      readonly left: string;
    }
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  /** The seller's store has no such balance. */
  | { readonly kind: "not_found" }
  | Fault
  | AccountProblem;

/** Pays back what is left of a balance. Repeat a call whose outcome is not known. */
export type RefundBalance = (
  balance: string | Pick<PaidRequest, "balance">,
  options?: RefundCallOptions,
) => Promise<BalanceRefundOutcome>;

/** How a seller returns money; `refundSigner` signs. */
export interface Refunds {
  /** Returns money of a final payment. */
  readonly refund: Refund;
  /** Returns what is left of a balance, over the payments that have topped it up. */
  readonly refundBalance: RefundBalance;
}

export function createRefunds(deps: RefundDeps): Refunds {
  return { refund: createRefund(deps), refundBalance: createBalanceRefund(deps) };
}

/** A refund that is to be made. */
interface Part {
  readonly refunding: Refunding;
  readonly payment: RefundablePayment;
}

export function createBalanceRefund(deps: RefundDeps): RefundBalance {
  return async (balance, { waitMs = 0 } = {}) => {
    const refunder = openRefunder(deps);
    if ("kind" in refunder) return refunder;
    const id = typeof balance === "string" ? balance : (balance.balance?.id ?? "");
    const { refunds: records } = refunder.records ?? {};
    const held = await records?.heldIn(id);
    if (!records || !held) return { kind: "not_found" };
    const found = await findParts(refunder, id, { ...held, waitMs });
    if ("kind" in found) return found;
    const refunds = [...found.refunds];
    for (const { refunding, payment } of found.parts) {
      await close(refunding, payment);
      const outcome = await signAndSend(refunding, payment);
      // The buyer has spent it meanwhile.
      if (outcome.kind === "refused" && outcome.code === "balance_spent") continue;
      refunds.push({ settlementId: refunding.settlementId, outcome });
      if (outcome.kind === "fault" || outcome.kind === "account") break;
    }
    const amount = refunds.reduce((sum, { outcome }) => {
      return outcome.kind === "refund" ? sum + BigInt(outcome.amount) : sum;
    }, 0n);
    const { left = 0n } = (await records.heldIn(id)) ?? {};
    return { kind: "balance", refunds, amount: `${amount}`, left: `${left}` };
  };
}

interface Held {
  readonly left: bigint;
  readonly topUps: readonly ToppedUp[];
  readonly waitMs: number;
}

/** Returns the refunds to make, those that were begun first, and what earlier calls did not learn. */
async function findParts(refunder: Refunder, id: string, held: Held) {
  const refunds: TopUpRefund[] = [];
  const begun: Part[] = [];
  const candidates: Part[] = [];
  let { left } = held;
  let capacity = 0n;
  // Most often the first one has enough. Few others are asked for, because earlier calls refunded them.
  for (const { key, settlementId, isOpen, debited } of held.topUps) {
    const isNeeded = isOpen || debited.length > 0 || capacity < left;
    if (settlementId === undefined || !isNeeded) continue;
    const refunding: Refunding = { ...refunder, settlementId, key, asked: undefined };
    const found = await findPayment(refunding);
    // The facilitator does not keep settlements for good.
    if (found.kind === "not_found") continue;
    if (found.kind === "refused" && found.code !== "unsupported") {
      refunds.push({ settlementId, outcome: found });
      continue;
    }
    if (found.kind !== "payment") return found;
    const untold = debited.length > 0 ? await findUntold(refunding, found.payment) : undefined;
    if (untold) refunds.push({ settlementId, outcome: untold });
    if (debited.includes(found.payment.ordinal)) {
      begun.push({ refunding, payment: found.payment });
      continue;
    }
    if (found.payment.rest === 0n || !(isOpen || capacity < left)) continue;
    const payment = await awaitFinal(refunding, found.payment, held.waitMs);
    if ("kind" in payment) {
      refunds.push({ settlementId, outcome: payment });
      continue;
    }
    if (isOpen) left = (await refunder.records?.refunds?.openTopUp(id, key)) ?? left;
    candidates.push({ refunding, payment });
    capacity += payment.rest;
  }
  const amounts = splitRefund(
    left,
    candidates.map(({ payment }) => payment),
  );
  const parts = candidates.flatMap(({ refunding, payment }, at) => {
    const max = amounts[at] ?? 0n;
    if (max === 0n) return [];
    const problem = refundProblem(payment, max, refunder.signer.address);
    if (!problem) return [{ refunding: { ...refunding, max }, payment }];
    const outcome = refused(problem.code, problem.message);
    refunds.push({ settlementId: refunding.settlementId, outcome });
    return [];
  });
  return { refunds, parts: [...begun, ...parts] };
}

/**
 * Splits what is left over payments, as much as possible from the first ones. The last part is raised
 * at the cost of the one before it where the facilitator would refuse it as too small.
 */
export function splitRefund(
  left: bigint,
  payments: readonly Pick<RefundablePayment, "rest" | "minAmount">[],
): bigint[] {
  const amounts: bigint[] = [];
  let rest = left;
  for (const payment of payments) {
    const amount = payment.rest < rest ? payment.rest : rest;
    amounts.push(amount);
    rest -= amount;
  }
  const last = amounts.findLastIndex((amount) => amount > 0n);
  const payment = payments[last];
  const [before = 0n, amount = 0n] = [amounts[last - 1], amounts[last]];
  if (!payment || amount === payment.rest || amount >= payment.minAmount) return amounts;
  const raised = payment.minAmount < payment.rest ? payment.minAmount : payment.rest;
  const lowered = before + amount - raised;
  const isEnough = lowered >= (payments[last - 1]?.minAmount ?? 0n);
  if (last > 0 && isEnough) amounts.splice(last - 1, 2, lowered, raised);
  else if (last > 0 && before + amount <= payment.rest) {
    amounts.splice(last - 1, 2, 0n, before + amount);
  }
  return amounts;
}
