/** What the exchange tells the seller. Never the buyer's business, and it holds no secret. */
import type { SettleResponse } from "@farthing/protocol";
import type { AccountProblem, Fault } from "./facilitator.ts";

/** The payment behind an answer, as the seller's code sees it. */
export interface PaidRequest {
  /** Address that paid, EIP-55. */
  readonly payer: string;
  /** USDC base units as decimal digits: `"10000"` is 0.01 USDC. Text, so that it can go in JSON. */
  readonly amount: string;
  /** CAIP-2, e.g. `eip155:50`. */
  readonly network: string;
  /**
   * Hash of the transaction that moved the money. Absent where the route settles after success:
   * the payment is verified then, and the money moves once the answer is made.
   */
  readonly transaction?: string;
  /** The facilitator's id of the settlement, when it gives one. */
  readonly settlementId?: string;
}

/** A payment whose money has moved. */
export interface SettledRequest extends PaidRequest {
  readonly transaction: string;
}

/** What charging for one request came to. */
export type ChargeOutcome =
  | /** The content went out, the first time. */
    { readonly type: "delivered"; readonly payment: SettledRequest }
  /** The payment came again after its delivery; `isKept` tells whether the answer did, too. */
  | { readonly type: "repeated"; readonly receipt: SettleResponse; readonly isKept: boolean }
  /** The buyer paid, and the seller's code threw or answered 500 and above. Look at this. */
  | { readonly type: "undelivered"; readonly payment: SettledRequest; readonly error: unknown }
  /**
   * Where the route settles after success: the seller's code answered another status than 2xx, or
   * none (`error` says why), and nobody was charged.
   */
  | {
      readonly type: "uncharged";
      readonly payment: PaidRequest;
      readonly status: number;
      readonly error?: unknown;
    }
  /** The transfer took longer than the buyer's wait; they were asked to repeat. */
  | { readonly type: "pending"; readonly receipt: SettleResponse }
  /**
   * The payment was used, or may have been, and it is not known here for which request: the buyer
   * got a 409 with this receipt, and may come to you with it.
   */
  | { readonly type: "unserved"; readonly receipt: SettleResponse }
  /** The settlement came to nothing. */
  | { readonly type: "failed"; readonly receipt: SettleResponse }
  /** Nobody paid (no `reason`), or with something that will not do: the answer was a 402. */
  | { readonly type: "challenged"; readonly reason?: string }
  /** A payment that belongs to another request was presented with this one. */
  | { readonly type: "conflict" }
  /** The store of payment records has no room; no payment can be taken. Act on this. */
  | { readonly type: "full" }
  /**
   * The exchange broke: a price function, or the store of payment records, threw; or this process was not
   * heard of for longer than a lease, and another one took its payment over. Look at this.
   */
  | { readonly type: "broken"; readonly error: unknown }
  /** The facilitator will not work for this seller: key, credits, plan or payee. Act on this. */
  | { readonly type: "account_problem"; readonly problem: AccountProblem }
  /** The facilitator did not answer properly; the buyer was asked to repeat. */
  | { readonly type: "facilitator_fault"; readonly fault: Fault }
  /**
   * Nothing was decided about a payment: a preflight, a request that cannot be charged for as it is,
   * or one that is to be repeated since another request has the payment. There is no event for it.
   */
  | { readonly type: "undecided" };

/** One thing that happened. `url` is the paid resource, as the challenge names it. */
export type SellerEvent = { readonly url: string } & (
  | Exclude<ChargeOutcome, { readonly type: "undecided" }>
  /** The money moved after the buyer was asked to repeat; their answer is kept for them. */
  | { readonly type: "settled"; readonly payment: SettledRequest }
);

/** Hears of events. What it throws is ignored: a log must not cost a buyer their response. */
export type EventListener = (event: SellerEvent) => void;

/** Emits the event of an outcome, where there is one. */
export function emitOutcome(emit: EventListener, url: string, outcome: ChargeOutcome): void {
  if (outcome.type !== "undecided") emit({ url, ...outcome });
}

/** Speaks up, where no listener is given, for what the seller has to act on. */
export const warnOnConsole: EventListener = (event) => {
  if (event.type === "account_problem") {
    const { code, message } = event.problem;
    warn(`Payments stand still: the facilitator answers ${code} (${message}).`);
  } else if (event.type === "facilitator_fault") {
    warn("The facilitator does not answer as it should; buyers are asked to repeat.", event.fault);
  } else if (event.type === "undelivered") {
    const { transaction } = event.payment;
    warn(`A paid request was not answered (transaction ${transaction}).`, event.error);
  } else if (event.type === "unserved") {
    const { transaction, payer = "unknown" } = event.receipt;
    warn(
      `A used payment opened nothing (payer ${payer}, transaction ${transaction || "unknown"}).`,
    );
  } else if (event.type === "uncharged" && event.error !== undefined) {
    warn("A request with a good payment was not answered, and not charged.", event.error);
  } else if (event.type === "broken") {
    warn("A request could not be handled.", event.error);
  } else if (event.type === "full") {
    warn("No payment can be taken: the store of payment records is full.");
  } else if (event.type === "challenged" && event.reason === "amount_below_minimum") {
    // Every sale of the route ends so, and only the seller can change it.
    warn(
      `The price of ${event.url} is below the minimum of the facilitator; buyers cannot pay it.`,
    );
  }
};

function warn(...parts: unknown[]): void {
  // oxlint-disable-next-line no-console -- the last resort of a seller who listens to nothing
  console.warn("@farthing/seller:", ...parts);
}
