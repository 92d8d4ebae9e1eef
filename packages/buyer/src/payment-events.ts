/** Events of payments for listeners. No event holds a signature or a key. */
import type { Quote } from "./offer/quote.ts";
import type { SentPayment } from "./payment-summary.ts";

/** One thing that happened. */
export type PaymentEvent =
  /** A price was accepted by every check; nothing is signed yet. */
  | { readonly type: "quote"; readonly requestId: string; readonly quote: Quote }
  /** The one signature of this request exists. */
  | { readonly type: "signed"; readonly requestId: string; readonly validBefore: number }
  /** The payment is about to leave; said once, also when it is sent again later. */
  | { readonly type: "sent"; readonly requestId: string }
  | { readonly type: "settled"; readonly requestId: string; readonly payment: SentPayment }
  /** The outcome is not known (state `pending` or `ambiguous`). */
  | { readonly type: "ambiguous"; readonly requestId: string; readonly payment: SentPayment }
  /**
   * The payment is not bound to its request, since the challenge names another address for it:
   * whoever reads the payment from the chain can then not be told from its buyer. `isDeclared`:
   * the seller asks for bound payments, so its own address for the resource is likely mistaken.
   */
  | {
      readonly type: "unbound";
      readonly requestId: string;
      readonly url: string;
      /** The address in the challenge, made safe to print; absent when there is none. */
      readonly resourceUrl?: string;
      readonly isDeclared: boolean;
    }
  /** Nothing was signed after all; the reservation is free again. */
  | { readonly type: "released"; readonly requestId: string }
  /** The spending of 24 hours has passed so many per cent of its limit. */
  | {
      readonly type: "limit_near";
      readonly requestId: string;
      readonly percent: LimitWarning;
      readonly spentUnits: bigint;
      readonly limitUnits: bigint;
    };

/** The shares of a limit that are worth telling, highest last. */
export const limitWarnings = [50, 80, 95] as const;
export type LimitWarning = (typeof limitWarnings)[number];

/** The highest share that spending passes when it grows; undefined when it passes none. */
export function warningOf(before: bigint, after: bigint, limit: bigint): LimitWarning | undefined {
  const isReached = (units: bigint, percent: number) => units * 100n >= limit * BigInt(percent);
  return limitWarnings.findLast(
    (percent) => isReached(after, percent) && !isReached(before, percent),
  );
}
