/**
 * Chooses what to pay. Order: version 2 entries before version 1 entries (or the other way when
 * asked), the header's before the body's, settled after the work before settled up front, the
 * lower price, the seller's own order last: reordering a list must not change what is paid.
 */
import type { Requirements } from "@farthing/protocol";
import type { Check } from "./check-offer.ts";
import type { Offer } from "./read-challenge.ts";

/** Which version is paid when a challenge offers both. */
export type PreferredVersion = "v1" | "v2";

/** An offer with its verdicts. */
export interface EvaluatedOffer {
  readonly offer: Offer;
  readonly checks: readonly Check[];
  /** No check failed. */
  readonly isPayable: boolean;
}

/** Sorts offers, the one to pay first. Offers that do not parse come last. */
export function orderOffers(offers: readonly Offer[], prefer: PreferredVersion): Offer[] {
  return [...offers].sort((one, other) => compareOffers(one, other, prefer === "v1" ? 1 : 2));
}

function compareOffers(one: Offer, other: Offer, preferred: 1 | 2): number {
  const a = one.requirements;
  const b = other.requirements;
  if (!a || !b) return Number(!a) - Number(!b);
  return (
    Number(a.version !== preferred) - Number(b.version !== preferred) ||
    Number(one.source === "body") - Number(other.source === "body") ||
    Number(isUpfront(a)) - Number(isUpfront(b)) ||
    compareAmounts(a.amount, b.amount) ||
    one.index - other.index
  );
}

function isUpfront({ paymentFlow }: Requirements): boolean {
  return paymentFlow === "upfront";
}

function compareAmounts(one: bigint, other: bigint): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Attaches the verdicts. */
export function evaluatedOffer(offer: Offer, checks: readonly Check[]): EvaluatedOffer {
  return { offer, checks, isPayable: checks.every(({ verdict }) => verdict !== "fail") };
}
