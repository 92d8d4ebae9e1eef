/**
 * The one error of this library. Its `payment_state` says `unused` (nothing was signed),
 * `in_flight` (a signature exists and the money may move) or `settled` (it moved).
 */
import { defined } from "@farthing/protocol";

/** Why nothing was signed: a limit, a policy or an unpayable challenge. */
export const refusalCodes = [
  "per_payment_cap",
  "cumulative_cap",
  "network_not_allowed",
  "asset_not_allowed",
  "payee_not_allowed",
  "amount_unparseable",
  "host_not_allowed",
  "payee_changed",
  "challenge_invalid",
  "challenge_changed",
  "token_domain_mismatch",
  "cross_origin",
  "insecure_url",
  "body_not_replayable",
  "approval_required",
  "extension_refused",
  "insufficient_balance",
  "open_payments_limit",
  "payment_header_present",
  "request_id_conflict",
  "request_unknown",
  "payment_released",
  "signing_failed",
  "channel_unusable",
  "channel_limit",
  "channel_busy",
] as const;

/** Problems after a signature was sent. */
export const outcomeCodes = [
  "settlement_pending",
  "payment_refused",
  "receipt_missing",
  "receipt_mismatch",
  "request_conflict",
  "seller_error",
  "seller_unavailable",
  "not_charged",
  "redirected",
  "no_answer",
  "interrupted",
  "authorization_expired",
  "payment_unresolved",
  "request_incomplete",
] as const;

/** Before and after a signature: the seller of a channel was found to lie. */
const stoppedCode = "channel_stopped";

export type RefusalCode = (typeof refusalCodes)[number] | typeof stoppedCode;
export type OutcomeCode = (typeof outcomeCodes)[number] | typeof stoppedCode;
export type PaymentErrorCode = RefusalCode | OutcomeCode;

/** `resign` is only said when no usable signature exists. */
export type RetryAction =
  | "resign"
  | "retry_same_payment"
  | "poll"
  | "wait_and_retry"
  | "abandon"
  | "human_required";

/** The limit that refuses a payment, and the least value with which it would be paid. */
export interface LimitToRaise {
  /** A limit of `limits`, or the `maxAmount` of the call. */
  readonly limit: "perCall" | "perDay" | "openPayments" | "openPaymentsPerHost" | "maxAmount";
  /** USDC, or the number of payments. */
  readonly to: string;
}

export interface PaymentProblem {
  readonly error: PaymentErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly retry_action: RetryAction;
  readonly retry_after_seconds?: number;
  readonly payment_state: "unused" | "in_flight" | "settled";
  /** RFC 3339; until then the seller can present the authorization. */
  readonly authorization_expires_at?: string;
  readonly poll_url?: string;
  /** Present when a limit refuses; only its owner can raise it. */
  readonly raise_limit?: LimitToRaise;
}

/** Thrown when a 402 is not paid, or when a paid request ended without a response. */
export class PaymentError extends Error {
  override readonly name = "PaymentError";
  readonly code: PaymentErrorCode;
  readonly problem: PaymentProblem;
  /** The logical request; repeating it never signs a second payment. */
  readonly requestId: string;

  constructor(problem: PaymentProblem, requestId: string, cause?: unknown) {
    super(problem.message, cause === undefined ? {} : { cause });
    this.code = problem.error;
    this.problem = problem;
    this.requestId = requestId;
  }

  /** For `JSON.stringify`: everything about the error, and no secret. */
  toJSON(): PaymentProblem & { readonly requestId: string } {
    return { ...this.problem, requestId: this.requestId };
  }
}

const retryActionOf: Partial<Record<RefusalCode, RetryAction>> = {
  cumulative_cap: "wait_and_retry",
  open_payments_limit: "wait_and_retry",
  approval_required: "human_required",
  payee_changed: "human_required",
  insufficient_balance: "human_required",
  payment_released: "resign",
  signing_failed: "resign",
  channel_limit: "human_required",
  channel_busy: "wait_and_retry",
  channel_stopped: "human_required",
};

export function refusedPayment(
  code: RefusalCode,
  message: string,
  requestId: string,
  { cause, raise }: { readonly cause?: unknown; readonly raise?: LimitToRaise | undefined } = {},
): PaymentError {
  const retry_action = retryActionOf[code] ?? "abandon";
  const retryable = retry_action === "wait_and_retry" || retry_action === "resign";
  return new PaymentError(
    {
      error: code,
      message,
      retryable,
      retry_action,
      payment_state: "unused",
      ...defined({ raise_limit: raise }),
    },
    requestId,
    cause,
  );
}
