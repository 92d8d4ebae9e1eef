/** Codes of the gateway's own responses. */
export type GatewayCode =
  | "malformed_request"
  | "address_too_long"
  | "invalid_input"
  | "not_found"
  | "method_not_allowed"
  | "unknown_host"
  | "request_too_large"
  | "unsupported_coding"
  | "rate_limited"
  | "upstream_busy"
  | "upstream_timed_out"
  | "upstream_unreachable"
  | "upstream_broken"
  | "upstream_answer_too_large"
  | "stopping"
  | "untrusted_proxy"
  | "refusal_gone"
  | "internal_error";

export interface GatewayProblem {
  readonly error: GatewayCode;
  readonly message: string;
}

/**
 * Of the gateway's own responses. They are no class of their own, because other software in the process
 * may replace the global `Response`, of which such a class would then be no subclass.
 */
const problems = new WeakMap<object, GatewayProblem>();

/** Returns what an error response of the gateway's own says; undefined for every other response. */
export function problemOf(response: object): GatewayProblem | undefined {
  return problems.get(response);
}

/** Builds an error response; `retryable`: the same request can succeed later. */
export function errorResponse(
  status: number,
  error: GatewayCode,
  message: string,
  more: { readonly retryAfterSeconds?: number; readonly allow?: string } = {},
): Response {
  const { retryAfterSeconds, allow } = more;
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (retryAfterSeconds !== undefined) headers.set("Retry-After", `${retryAfterSeconds}`);
  if (allow !== undefined) headers.set("Allow", allow);
  const retryable = status === 429 || status === 502 || status === 503 || status === 504;
  const response = Response.json({ error, message, retryable }, { status, headers });
  problems.set(response, { error, message });
  return response;
}
