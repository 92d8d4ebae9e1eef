/** Codes of responses that evaluate no payment: the request, sender or service was at fault. */
import { isObject, member } from "../encoding/json.ts";

export const errorCodes = [
  "invalid_request",
  "unauthorized",
  "insufficient_facilitator_credits",
  "seller_plan_inactive",
  "payee_mismatch",
  "sign_in_failed",
  "step_up_failed",
  "role_not_allowed",
  "foreign_origin",
  "not_found",
  "method_not_allowed",
  "conflict",
  "request_too_large",
  "unsupported_media_type",
  "rate_limited",
  "payer_limited",
  "caller_gas_share_used",
  "keyless_gas_exhausted",
  "reverted_gas_exhausted",
  "queue_full",
  "gas_price_too_high",
  "no_wallet",
  "service_unavailable",
  "internal_error",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export interface ErrorBody {
  readonly error: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly requestId: string;
}

/** Reads the code of an error body; undefined for any other value. */
export function errorCodeOf(body: unknown): ErrorCode | undefined {
  const error = isObject(body) ? member(body, "error") : undefined;
  return errorCodes.find((code) => code === error);
}

/** Whether an error body refuses one payer's payments, and so says nothing of other payers. */
export function isRefusalOfPayer(body: unknown): boolean {
  const code = errorCodeOf(body);
  return code === "payer_limited" || code === "reverted_gas_exhausted";
}
