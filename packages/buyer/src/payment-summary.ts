import {
  defined,
  explorerLink,
  formatUsdc,
  type Address,
  type Hex,
  type Network,
  type SettleResponse,
} from "@farthing/protocol";
import { responseRules, type ResponseKind, type KnownState } from "./read-paid-response.ts";
import type { LedgerRecord, SignedPayment } from "./ledger/ledger.ts";
import { PaymentError, type OutcomeCode, type PaymentProblem } from "./payment-error.ts";
import type { TokenUse } from "./passes.ts";
import type { Delivery } from "./send-payment.ts";

/** A response without a payment; nothing was signed. */
export interface NoPayment extends TokenUse {
  readonly state: "not_required";
  readonly requestId: string;
}

/**
 * `settled`: a receipt for exactly this payment came. `pending`: the facilitator reports it in
 * progress. `ambiguous`: unknown; it may have been paid.
 */
export interface SentPayment {
  readonly state: KnownState;
  readonly requestId: string;
  /** Base units, as decimal digits. */
  readonly amount: string;
  readonly amountUsdc: string;
  readonly asset: Address;
  readonly payTo: Address;
  readonly payer: Address;
  /** CAIP-2. */
  readonly network: string;
  readonly version: 1 | 2;
  readonly nonce: Hex;
  /** RFC 3339; the authorization cannot be used from then on. */
  readonly authorizationExpiresAt: string;
  readonly transaction?: Hex;
  readonly explorerUrl?: string;
  /** The seller's receipt as read; believe it when the state is `settled`. */
  readonly receipt?: SettleResponse;
  /** Absent when the state is `settled`. */
  readonly problem?: PaymentProblem;
}

/**
 * A call over a channel. `charged`: the answer names a charge that adds up. `unconfirmed`: nothing says
 * whether it was charged; the next call on the channel does.
 */
export interface ChannelPayment {
  readonly state: "charged" | "unconfirmed";
  readonly requestId: string;
  readonly channelId: Hex;
  /** Base units, as decimal digits: what was charged, or the most that it may be. */
  readonly amount: string;
  readonly amountUsdc: string;
  readonly asset: Address;
  readonly payTo: Address;
  readonly payer: Address;
  /** CAIP-2. */
  readonly network: string;
  readonly version: 2;
  /** Base units: all charges of the channel, and the deposits that they come from. */
  readonly chargedTotal: string;
  readonly balance: string;
  /** Base units that this call has deposited. */
  readonly deposit?: string;
  /** Of the deposit. */
  readonly transaction?: Hex;
  readonly explorerUrl?: string;
  readonly receipt?: SettleResponse;
  /** Absent when the state is `charged`. */
  readonly problem?: PaymentProblem;
}

export type PaymentSummary = NoPayment | SentPayment | ChannelPayment;

/** `clone()` returns a plain Response without the payment. */
export interface PaidResponse extends Response {
  readonly payment: PaymentSummary;
}

export function withPayment(response: Response, payment: PaymentSummary): PaidResponse {
  return Object.assign(response, { payment });
}

export function summarize(
  record: LedgerRecord,
  signed: SignedPayment,
  network: Network,
  delivery: Delivery,
): SentPayment {
  const { transaction, receipt, state } = delivery;
  const problem = problemOf(signed, delivery);
  return {
    state,
    requestId: record.requestId,
    amount: record.amountUnits.toString(),
    amountUsdc: formatUsdc(record.amountUnits),
    asset: record.asset,
    payTo: record.payTo,
    payer: record.wallet,
    network: record.network,
    version: signed.version,
    nonce: signed.nonce,
    authorizationExpiresAt: rfc3339(signed.validBefore),
    ...defined({
      transaction,
      explorerUrl: transaction && explorerLink(network, transaction, record.host),
    }),
    ...defined({ receipt, problem }),
  };
}

/** Thrown when a paid request ended without a response that could be returned. */
export class UnansweredPaymentError extends PaymentError {
  readonly payment: SentPayment;

  constructor(problem: PaymentProblem, payment: SentPayment, cause: unknown) {
    super(problem, payment.requestId, cause);
    this.payment = payment;
  }
}

const stay = "Do not pay again under another request id.";

const sentences: Readonly<Record<OutcomeCode, string>> = {
  settlement_pending: `The payment is under way and not confirmed yet. ${stay}`,
  payment_refused: `The seller refused the payment, which it still holds. ${stay}`,
  receipt_missing: `The seller answered without a receipt, so it is not known whether it took the money. ${stay}`,
  receipt_mismatch: `The receipt is not of this payment. ${stay}`,
  request_conflict: `The seller already has another request with this payment. ${stay}`,
  seller_error: `The seller refused the request, not the payment, which it still holds. ${stay}`,
  seller_unavailable: `The seller could not answer, and it is not known whether it took the money. ${stay}`,
  not_charged: `The seller says that nothing was charged; it could still use the signed payment until that expires. ${stay}`,
  redirected: `The seller redirected the paid request; a payment is not sent on. ${stay}`,
  no_answer: `No answer came, and it is not known whether the seller took the money. ${stay}`,
  interrupted: `Stopped while the payment was out; it is not known whether the seller took the money. ${stay}`,
  authorization_expired:
    "The signed payment has expired and cannot be used any more; whether it was used before, the chain says: `farthing ledger reconcile` asks it.",
  payment_unresolved:
    "This request is being paid, or a run stopped while it was. Its outcome has to be found first.",
  request_incomplete:
    "The body of this request was too long to be kept; give it again to resume the payment.",
  channel_stopped: "The channel is stopped.",
};

export function inFlightProblem(
  code: OutcomeCode,
  validBefore: number | undefined,
  more: { readonly reason?: string; readonly retryAfterSeconds?: number } = {},
): PaymentProblem {
  const retry_action = sameAgain.has(code) ? "retry_same_payment" : "human_required";
  const reason = more.reason === undefined || more.reason === "" ? "" : ` (${more.reason})`;
  return {
    error: code,
    message: `${sentences[code]}${reason}`,
    retryable: retry_action === "retry_same_payment",
    retry_action,
    ...defined({ retry_after_seconds: more.retryAfterSeconds }),
    payment_state: "in_flight",
    ...defined({
      authorization_expires_at: validBefore === undefined ? undefined : rfc3339(validBefore),
    }),
  };
}

/** Outcomes that resending the same bytes can still resolve. */
const sameAgain: ReadonlySet<OutcomeCode> = new Set([
  "settlement_pending",
  "seller_unavailable",
  "not_charged",
  "no_answer",
  "interrupted",
]);

function problemOf(signed: SignedPayment, delivery: Delivery): PaymentProblem | undefined {
  const { reading, response, isInterrupted } = delivery;
  if (delivery.state === "settled" && response !== undefined) return undefined;
  const kind: ResponseKind = response === undefined ? "no_answer" : reading.kind;
  const isUncharged = reading.saysUncharged === true && ambiguousKinds.has(kind);
  const ofKind = isUncharged ? "not_charged" : (responseRules[kind].code ?? "no_answer");
  const code = isInterrupted ? "interrupted" : ofKind;
  const { reason } = reading;
  const problem = inFlightProblem(code, signed.validBefore, {
    ...defined({ reason, retryAfterSeconds: delivery.retryAfterSeconds }),
  });
  if (delivery.state !== "settled") return problem;
  const message = "The payment is settled, but its content was cut off on the way.";
  return { ...problem, message, payment_state: "settled" };
}

/** These responses say nothing about the money, so the seller's word on it is reported. */
const ambiguousKinds: ReadonlySet<ResponseKind> = new Set(["not_charged", "client_error", "busy"]);

function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
