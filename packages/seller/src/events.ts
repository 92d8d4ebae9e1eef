/** Events of the exchange for the seller. They contain no secret. */
import type { SettleResponse } from "@farthing/protocol";
import type { Price } from "./option-values.ts";
import type { AccountProblem, Fault } from "./facilitator.ts";

/** The payment behind a response, as the seller's code sees it. */
export interface PaidRequest {
  /** The payer's address, EIP-55. */
  readonly payer: string;
  /** USDC base units as decimal digits, for JSON: `"10000"` is 0.01 USDC. */
  readonly amount: string;
  /** CAIP-2, e.g. `eip155:50`. */
  readonly network: string;
  /** Hash of the transaction. Absent with `after-success`, where the money moves after the work. */
  readonly transaction?: string;
  readonly settlementId?: string;
  /** The pass that opened the request. The other facts are those of the payment that bought it. */
  readonly pass?: UsedPass;
  /** The balance that the request is charged to. The payment is the one that topped it up last. */
  readonly balance?: UsedBalance;
  /** The channel that the request is charged to; `amount` is the most before the work, then the cost. */
  readonly channel?: UsedChannel;
  /** Only for the handler of a route with a balance. */
  readonly meter?: Meter;
}

/** A pass after one use. */
export interface UsedPass {
  /** Public, as in the receipt of the payment. */
  readonly id: string;
  readonly usesLeft: number;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

/** A channel, and what all its calls have cost. */
export interface UsedChannel {
  readonly id: string;
  /** Base units as decimal digits: before the call for the handler, and with it afterwards. */
  readonly total: string;
}

/** What a request can cost, and has cost. Amounts are base units as decimal digits. */
export interface UsedBalance {
  /** Public, as in the receipt of the payment. */
  readonly id: string;
  /** The most that the request can cost. */
  readonly reserve: string;
  /** What is left for other requests. */
  readonly remaining: string;
  /** Absent before the work, and for streams. */
  readonly cost?: string;
}

/** Counts what a request costs while the work runs. */
export interface Meter {
  /** Adds to the cost; returns false once the reserve is spent. Throws for what is no price. */
  add(cost: Price): boolean;
  /** Sets the cost until now, where an upstream reports the whole of it. Otherwise like `add`. */
  set(cost: Price): boolean;
  /**
   * Sets what the work has probably cost until now, so that it can stop at its reserve before its cost
   * is known. An estimate is not charged: work that ends without a cost costs its reserve.
   */
  estimate(cost: Price): boolean;
}

export interface SettledRequest extends PaidRequest {
  readonly transaction: string;
}

/** The outcome of charging for one request. */
export type ChargeOutcome =
  | /** The content went out, the first time. */
    { readonly type: "delivered"; readonly payment: SettledRequest }
  /** A pass or a balance opened the content; its payment was counted before. */
  | { readonly type: "used"; readonly payment: SettledRequest }
  /** The payment was repeated after its delivery; `isKept`: so was the response. */
  | { readonly type: "repeated"; readonly receipt: SettleResponse; readonly isKept: boolean }
  /** The buyer paid, and the seller's code threw or responded with 500 or above. Act on this. */
  | { readonly type: "undelivered"; readonly payment: SettledRequest; readonly error: unknown }
  /** With `after-success`: no success, or no response (`error`), and no one was charged. */
  | {
      readonly type: "uncharged";
      readonly payment: PaidRequest;
      readonly status: number;
      readonly error?: unknown;
    }
  /** The transfer took longer than the buyer's wait; they were asked to repeat. */
  | { readonly type: "pending"; readonly receipt: SettleResponse }
  /** The payment was used for an unknown request; the buyer got a 409 with this receipt. */
  | { readonly type: "unserved"; readonly receipt: SettleResponse }
  /** The settlement failed. */
  | { readonly type: "failed"; readonly receipt: SettleResponse }
  /** No payment (no `reason`), or an invalid one: the response was a 402. */
  | { readonly type: "challenged"; readonly reason?: string }
  /** The payer has made too many requests (`rateLimit`): the response was a 429, nothing was taken. */
  | { readonly type: "limited"; readonly payment: PaidRequest }
  /** A payment that belongs to another request. */
  | { readonly type: "conflict" }
  /** The store of payment records is full; no payment can be taken. Needs attention. */
  | { readonly type: "full" }
  /** A price function or the store threw, or another process took over. Act on this. */
  | { readonly type: "broken"; readonly error: unknown }
  /** The facilitator refuses this seller: key, credits, plan or payee. Needs attention. */
  | { readonly type: "account_problem"; readonly problem: AccountProblem }
  /** The facilitator failed; the buyer was asked to repeat. */
  | { readonly type: "facilitator_fault"; readonly fault: Fault }
  /**
   * The facilitator that has the payment is not configured any more, and only it knows the outcome;
   * the buyer was asked to repeat. Act on this: add it again, as the last one.
   */
  | { readonly type: "facilitator_missing"; readonly facilitator: string }
  /** Nothing was decided; there is no event. A preflight, or a request to repeat. */
  | { readonly type: "undecided" };

/** `url` is the paid resource, as the challenge names it. */
export type SellerEvent = { readonly url: string } & (
  | Exclude<ChargeOutcome, { readonly type: "undecided" }>
  /** The money moved after the buyer was asked to repeat; their response is kept. */
  | { readonly type: "settled"; readonly payment: SettledRequest }
  /** One of several facilitators could not be used, and the next one was asked. */
  | {
      readonly type: "facilitator_skipped";
      readonly failure: Fault | AccountProblem;
      /** The name of the next one. */
      readonly next: string;
    }
  /** No cost could be read of a response, so the request has cost its reserve. Act on this. */
  | { readonly type: "cost_unreadable"; readonly payment: PaidRequest; readonly error?: unknown }
);

/** Exceptions are ignored: a log must not cost a buyer their response. */
export type EventListener = (event: SellerEvent) => void;

/** Returns a listener that never throws. */
export function guard(listener: EventListener): EventListener {
  return (event) => {
    try {
      // The listener may be an async function.
      const done: unknown = listener(event);
      if (done instanceof Promise) done.catch(() => undefined);
    } catch {
      // A failing listener must not cost a buyer the response they paid for.
    }
  };
}

export function emitOutcome(emit: EventListener, url: string, outcome: ChargeOutcome): void {
  if (outcome.type !== "undecided") emit({ url, ...outcome });
}
