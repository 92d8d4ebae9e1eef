/**
 * Chooses what to pay: the preferred version first, the header's before the body's, settled after
 * the work before up front, the lower price, and last the seller's order.
 */
import type { Check } from "./check-offer.ts";
import type { Offer } from "./read-challenge.ts";

export type PreferredVersion = "v1" | "v2";

export interface EvaluatedOffer {
  readonly offer: Offer;
  readonly checks: readonly Check[];
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
    Number(a.paymentFlow === "upfront") - Number(b.paymentFlow === "upfront") ||
    Number(a.amount > b.amount) - Number(a.amount < b.amount) ||
    one.index - other.index
  );
}

export function evaluatedOffer(offer: Offer, checks: readonly Check[]): EvaluatedOffer {
  return { offer, checks, isPayable: checks.every(({ verdict }) => verdict !== "fail") };
}
