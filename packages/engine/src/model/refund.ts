/** Decides whether a refund may be claimed, from its payment and the payment's other refunds. */
import {
  isSameAddress,
  maxRefunds,
  nextRefundOrdinal,
  refundNonce,
  refusal,
  toLowerHex,
  type Refusal,
} from "@farthing/protocol";
import type { Claim, RefundTerms, Settlement } from "./settlement.ts";

/** A refund among those of its payment. */
export interface RefundEntry {
  readonly ordinal: number;
  readonly settlement: Pick<Settlement, "id" | "state" | "amount" | "validBefore">;
  /** It failed, and none of its authorizations can move money any more. */
  readonly isDead: boolean;
}

export interface StoredRefund extends RefundEntry {
  readonly settlement: Settlement;
}

/** A refund that is claimed. */
export type RefundClaim = Pick<Claim, "payer" | "payTo" | "nonce" | "amount" | "validBefore"> & {
  readonly unitsMin: bigint;
};

export type RefundEvaluation =
  | { readonly ok: true; readonly ordinal: number }
  | { readonly ok: false; readonly refusal: Refusal };

/** Returns whether a claim with these terms signs a failed refund again. */
export function isRenewal(refund: RefundTerms | undefined, existing: Settlement): boolean {
  return refund !== undefined && existing.state === "failed" && existing.refundOf === refund.of;
}

/** A refund that the chain has shown: only its place among the refunds of its payment is decided. */
export function evaluateRecovered(
  payment: Settlement,
  claim: Pick<Claim, "payer" | "payTo" | "nonce">,
): RefundEvaluation {
  const isBetween =
    isSameAddress(claim.payer, payment.payTo) && isSameAddress(claim.payTo, payment.payer);
  const ordinal = Array.from({ length: maxRefunds }, (_, place) => place).find(
    (place) => refundNonce(payment, place) === toLowerHex(claim.nonce),
  );
  if (payment.refundOf !== null || !isBetween || ordinal === undefined) {
    return refused("refund_mismatch");
  }
  return { ok: true, ordinal };
}

/** Pure: the claim repeats it in its transaction, under the lock of the payment. */
export function evaluateRefund(
  payment: Settlement,
  refunds: readonly RefundEntry[],
  claim: RefundClaim,
): RefundEvaluation {
  if (payment.refundOf !== null || payment.finalizedAt === null) {
    return refused("settlement_not_refundable");
  }
  if (!isSameAddress(claim.payer, payment.payTo) || !isSameAddress(claim.payTo, payment.payer)) {
    return refused(
      "refund_mismatch",
      `A refund of this payment goes from ${payment.payTo} to ${payment.payer}; sign that.`,
    );
  }
  const entries = refunds.map((entry) => ({ ...entry, state: entry.settlement.state }));
  const ordinal = nextRefundOrdinal(entries);
  if (ordinal >= maxRefunds) return refused("refund_limit_reached");
  const nonce = refundNonce(payment, ordinal);
  if (toLowerHex(claim.nonce) !== nonce) {
    return refused(
      "refund_mismatch",
      `The next refund of this payment has the ordinal ${ordinal} and the nonce ${nonce}; sign that.`,
    );
  }
  const earlier = refunds.find((entry) => entry.ordinal === ordinal && !entry.isDead);
  if (earlier) return repeatOf(earlier.settlement, claim) ?? { ok: true, ordinal };
  return evaluateAmount(payment, refunds, claim) ?? { ok: true, ordinal };
}

/**
 * While an earlier authorization of the nonce can still be used, a new one has the same amount and
 * expires no earlier: the settlement then stands for whichever of them the token executes.
 */
function repeatOf(
  { amount, validBefore }: RefundEntry["settlement"],
  claim: RefundClaim,
): RefundEvaluation | undefined {
  if (claim.amount === amount && claim.validBefore >= validBefore) return undefined;
  return refused(
    "refund_mismatch",
    `A refund of ${amount} base units failed and its authorization can still be used; sign the same amount until ${validBefore} (Unix seconds) or later, or wait until then.`,
  );
}

function evaluateAmount(
  { amount }: Settlement,
  refunds: readonly RefundEntry[],
  claim: RefundClaim,
): RefundEvaluation | undefined {
  const used = refunds
    .filter(({ isDead }) => !isDead)
    .reduce((sum, { settlement }) => sum + settlement.amount, 0n);
  const rest = amount - used;
  if (rest === 0n || claim.amount > rest) {
    const message = `${rest} base units of this payment are left; sign at most that.`;
    return refused("refund_exceeds_payment", message);
  }
  const isEnough = claim.amount > 0n && claim.amount >= claim.unitsMin;
  if (isEnough || claim.amount === rest) return undefined;
  return refused(
    "amount_below_minimum",
    `A refund has at least ${claim.unitsMin} base units, or all ${rest} that are left; sign that.`,
  );
}

function refused(...[code, message]: Parameters<typeof refusal>): RefundEvaluation {
  return { ok: false, refusal: refusal(code, message) };
}
