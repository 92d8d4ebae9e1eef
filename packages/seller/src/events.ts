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
  /** Hash of the transaction that moved the money. */
  readonly transaction: string;
  /** The facilitator's id of the settlement, when it gives one. */
  readonly settlementId?: string;
}

/** One thing that happened. */
export type SellerEvent =
  /** The content went out, the first time. */
  | { readonly type: "delivered"; readonly url: string; readonly payment: PaidRequest }
  /** The buyer paid, and the seller's code threw or answered 500 and above. Look at this. */
  | {
      readonly type: "undelivered";
      readonly url: string;
      readonly payment: PaidRequest;
      readonly error: unknown;
    }
  /** The facilitator will not work for this seller: key, credits, plan or payee. Act on this. */
  | { readonly type: "account_problem"; readonly url: string; readonly problem: AccountProblem }
  /** The facilitator did not answer properly; the buyer was asked to repeat. */
  | { readonly type: "facilitator_fault"; readonly url: string; readonly fault: Fault }
  /** The settlement came to nothing. */
  | { readonly type: "failed"; readonly url: string; readonly receipt: SettleResponse };

/** Hears of events. What it throws is ignored: a log must not cost a buyer his answer. */
export type EventListener = (event: SellerEvent) => void;

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
  }
};

function warn(...parts: unknown[]): void {
  // oxlint-disable-next-line no-console -- the last resort of a seller who listens to nothing
  console.warn("@farthing/seller:", ...parts);
}
