/** Codes of the gateway's own responses. */
export type GatewayCode =
  | "malformed_request"
  | "invalid_input"
  | "not_found"
  | "method_not_allowed"
  | "unknown_host"
  | "request_too_large"
  | "rate_limited"
  | "upstream_busy"
  | "upstream_timed_out"
  | "upstream_unreachable"
  | "upstream_broken"
  | "upstream_answer_too_large"
  | "stopping"
  | "internal_error";

/** An error response of the gateway's own, as opposed to one of the upstream. */
export class ErrorResponse extends Response {
  readonly problem: { readonly error: GatewayCode; readonly message: string };

  constructor(
    { error, message }: ErrorResponse["problem"],
    init: { readonly status: number; readonly headers: Headers },
  ) {
    const { status } = init;
    const retryable = status === 429 || status === 502 || status === 503 || status === 504;
    super(JSON.stringify({ error, message, retryable }), init);
    this.problem = { error, message };
  }
}

/** Builds an error response; `retryable`: the same request can succeed later. */
export function errorResponse(
  status: number,
  error: GatewayCode,
  message: string,
  more: { readonly retryAfterSeconds?: number; readonly allow?: string } = {},
): ErrorResponse {
  const { retryAfterSeconds, allow } = more;
  const headers = new Headers({ "Cache-Control": "no-store", "Content-Type": "application/json" });
  if (retryAfterSeconds !== undefined) headers.set("Retry-After", `${retryAfterSeconds}`);
  if (allow !== undefined) headers.set("Allow", allow);
  return new ErrorResponse({ error, message }, { status, headers });
}
