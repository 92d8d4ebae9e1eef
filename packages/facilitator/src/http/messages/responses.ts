/**
 * Bodies and statuses of problems. The responses to an evaluated payment are the engine's,
 * `@farthing/engine/x402`; these statuses mean that nothing was evaluated.
 */
import type { ErrorBody, ErrorCode } from "@farthing/protocol";
import { Fault, type FaultCode } from "@farthing/engine/base";

/** An error response; thrown inside the HTTP layer only. The payment was not evaluated. */
export class HttpProblem extends Error {
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns what an account asked for; throws 404 when it has none. */
export function found<T>(value: T | undefined | false, what: string): T {
  if (value !== undefined && value !== false) return value;
  throw new HttpProblem("not_found", `There is no such ${what} of this account.`);
}

/** Status and retry advice of each code; `retryable`: the same request can succeed later. */
export const problemTable: Readonly<Record<ErrorCode, { status: number; retryable: boolean }>> = {
  invalid_request: { status: 400, retryable: false },
  unauthorized: { status: 401, retryable: false },
  insufficient_facilitator_credits: { status: 403, retryable: false },
  seller_plan_inactive: { status: 403, retryable: false },
  payee_mismatch: { status: 403, retryable: false },
  sign_in_failed: { status: 401, retryable: false },
  step_up_failed: { status: 403, retryable: false },
  role_not_allowed: { status: 403, retryable: false },
  foreign_origin: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  conflict: { status: 409, retryable: false },
  request_too_large: { status: 413, retryable: false },
  unsupported_media_type: { status: 415, retryable: false },
  rate_limited: { status: 429, retryable: true },
  payer_limited: { status: 429, retryable: true },
  caller_gas_share_used: { status: 429, retryable: true },
  keyless_gas_exhausted: { status: 503, retryable: true },
  reverted_gas_exhausted: { status: 503, retryable: true },
  queue_full: { status: 503, retryable: true },
  gas_price_too_high: { status: 503, retryable: true },
  no_wallet: { status: 503, retryable: true },
  service_unavailable: { status: 503, retryable: true },
  internal_error: { status: 500, retryable: false },
};

/** Codes whose responses of /verify and /settle also have the members of an evaluated one. */
export const shapedCodes: ReadonlySet<ErrorCode> = new Set([
  "service_unavailable",
  "keyless_gas_exhausted",
  "reverted_gas_exhausted",
  "gas_price_too_high",
  "no_wallet",
]);

/** A block or two. */
const retryAfterFaultSeconds = 5;

/** Some of a payer's open payments have expired by then: sellers ask for few minutes. */
const retryAfterTooManySeconds = 60;

export interface ProblemResponse {
  readonly status: number;
  readonly body: ErrorBody;
  readonly retryAfterSeconds: number | undefined;
}

/** Creates the response to a thrown value. The text of a bug is never sent. */
export function problemResponse(error: unknown, requestId: string): ProblemResponse {
  const problem = toProblem(error);
  const { status, retryable } = problemTable[problem.code];
  return {
    status,
    body: { error: problem.code, message: problem.message, retryable, requestId },
    retryAfterSeconds:
      problem.retryAfterSeconds ?? (status === 503 ? retryAfterFaultSeconds : undefined),
  };
}

function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof Fault) {
    if (error.code === "too_many_exchanges") {
      return new HttpProblem("payer_limited", error.message, retryAfterTooManySeconds);
    }
    const { code } = error;
    if (code === "no_wallet") return new HttpProblem(code, noWallet, error.retryAfterSeconds);
    if (isOwnCode(code)) return new HttpProblem(code, error.message, error.retryAfterSeconds);
    return new HttpProblem("service_unavailable", sentences[error.code] ?? unavailable);
  }
  return new HttpProblem(
    "internal_error",
    "Something went wrong here; tell the operator the requestId.",
  );
}

const unavailable =
  "The service cannot reach the chain or its database right now; nothing was evaluated, try again shortly with the same payment.";

const noWallet =
  "No relayer wallet can send transactions right now; nothing was claimed, try again shortly with the same payment.";

/** Faults whose code and message callers get as they are. */
const ownCodes = ["queue_full", "reverted_gas_exhausted", "gas_price_too_high"] as const;

function isOwnCode(code: FaultCode): code is (typeof ownCodes)[number] {
  return ownCodes.some((own) => own === code);
}

const sentences: Readonly<Partial<Record<FaultCode, string>>> = {
  storage_behind:
    "The service is reading payments from the chain that its database has lost; nothing was claimed, try again shortly with the same payment.",
  screening_unavailable:
    "The service cannot screen payments right now; nothing was claimed, try again shortly with the same payment.",
};
