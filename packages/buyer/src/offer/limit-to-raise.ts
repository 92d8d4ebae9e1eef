import { shortUsdc, type Requirements } from "@farthing/protocol";
import type { LimitToRaise } from "../payment-error.ts";
import type { Check, OfferContext } from "./check-offer.ts";

/** Returns what the owner would raise, where the check that has failed is one of a limit. */
export function limitToRaise(
  { name }: Check,
  { amount }: Requirements,
  { usage, limits, open }: OfferContext,
): LimitToRaise | undefined {
  switch (name) {
    case "per_call":
      return { limit: "perCall", to: shortUsdc(amount) };
    case "max_amount":
      return { limit: "maxAmount", to: shortUsdc(amount) };
    case "per_day":
      return { limit: "perDay", to: shortUsdc(usage.spentUnits + amount) };
    case "open_payments": {
      const { count } = open ?? { count: 0 };
      return count >= limits.openPaymentsPerHostMax
        ? { limit: "openPaymentsPerHost", to: `${count + 1}` }
        : { limit: "openPayments", to: `${usage.openPayments + 1}` };
    }
    default:
      return undefined;
  }
}
