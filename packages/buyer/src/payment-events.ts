/** Events of payments. None holds a signature or a key. */
import type { Quote } from "./offer/quote.ts";
import type { ChannelPayment, SentPayment } from "./payment-summary.ts";
import type { ResendingEvent } from "./send-payment.ts";

export type PaymentEvent =
  /** Every check passed; nothing is signed yet. */
  | { readonly type: "quote"; readonly requestId: string; readonly quote: Quote }
  /** The one signature of this request exists. */
  | { readonly type: "signed"; readonly requestId: string; readonly validBefore: number }
  /** The payment is about to be sent; emitted once, even if it is sent again later. */
  | { readonly type: "sent"; readonly requestId: string }
  | ResendingEvent
  | { readonly type: "settled"; readonly requestId: string; readonly payment: SentPayment }
  /** A call over a channel was answered with its cost. */
  | { readonly type: "charged"; readonly requestId: string; readonly payment: ChannelPayment }
  /** The outcome is not known (state `pending` or `ambiguous`). */
  | { readonly type: "ambiguous"; readonly requestId: string; readonly payment: SentPayment }
  /**
   * The challenge names another address, so the payment is not bound to its request. With
   * `isDeclared` the seller wants bound payments and is likely misconfigured.
   */
  | {
      readonly type: "unbound";
      readonly requestId: string;
      readonly url: string;
      /** The address in the challenge, safe to print; absent when there is none. */
      readonly resourceUrl?: string;
      readonly isDeclared: boolean;
    }
  /** Nothing was signed; the reservation is released. */
  | { readonly type: "released"; readonly requestId: string }
  /** The spending of 24 hours has passed this share of its limit. */
  | {
      readonly type: "limit_near";
      readonly requestId: string;
      readonly percent: LimitWarning;
      readonly spentUnits: bigint;
      readonly limitUnits: bigint;
    };

/** Highest last. */
export const limitWarnings = [50, 80, 95] as const;
export type LimitWarning = (typeof limitWarnings)[number];

/** The highest share that growing spending passes; undefined when it passes none. */
export function warningOf(before: bigint, after: bigint, limit: bigint): LimitWarning | undefined {
  const isReached = (units: bigint, percent: number) => units * 100n >= limit * BigInt(percent);
  return limitWarnings.findLast(
    (percent) => isReached(after, percent) && !isReached(before, percent),
  );
}
