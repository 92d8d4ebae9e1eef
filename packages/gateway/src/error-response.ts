/** Codes of the gateway's own responses: with which status each comes, and what to do. */
export const gatewayErrors = {
  malformed_request: {
    statuses: [400, 408],
    meaning: "The request can be read in two ways, or is no HTTP; send its one canonical form.",
  },
  address_too_long: {
    statuses: [414],
    meaning: "The address is too long to be named in a challenge; send a shorter query.",
  },
  invalid_input: {
    statuses: [400, 415, 422],
    meaning: "The request does not fit the API's description; nothing was charged.",
  },
  not_found: { statuses: [404], meaning: "No rule takes this address." },
  method_not_allowed: { statuses: [405], meaning: "The method is not passed on; see Allow." },
  unknown_host: { statuses: [421], meaning: "No rule is for this Host header." },
  request_too_large: {
    statuses: [413, 431],
    meaning: "The body or the headers are larger than the gateway takes.",
  },
  unsupported_coding: {
    statuses: [415],
    meaning: "The body has a content coding, and its use of tokens is read here; send it without.",
  },
  rate_limited: {
    statuses: [429],
    meaning: "Too many requests of this address; nothing was taken. Repeat after Retry-After.",
  },
  upstream_busy: {
    statuses: [503],
    meaning: "Too many requests are under way; repeat after Retry-After.",
  },
  upstream_timed_out: { statuses: [504], meaning: "The server behind the gateway took too long." },
  upstream_unreachable: {
    statuses: [502],
    meaning: "The server behind the gateway is not reachable.",
  },
  upstream_broken: {
    statuses: [502],
    meaning: "The server behind the gateway broke off its response.",
  },
  upstream_answer_too_large: {
    statuses: [502],
    meaning: "The response is larger than the route allows.",
  },
  stopping: { statuses: [503], meaning: "The gateway is being stopped; another one takes over." },
  untrusted_proxy: {
    statuses: [403],
    meaning: "Only a proxy of trustedProxies may ask about requests.",
  },
  refusal_gone: {
    statuses: [503],
    meaning: "The refusal that the proxy wanted to show is not kept any more; repeat the request.",
  },
  internal_error: { statuses: [500], meaning: "The gateway failed; its log says why." },
} as const;

export type GatewayCode = keyof typeof gatewayErrors;
type StatusOf<C extends GatewayCode> = (typeof gatewayErrors)[C]["statuses"][number];

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

/** Whether the same request can succeed later. */
export function isRetryable(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

/** Builds an error response; `retryable`: the same request can succeed later. */
export function errorResponse<C extends GatewayCode>(
  status: StatusOf<C>,
  error: C,
  message: string,
  more: { readonly retryAfterSeconds?: number; readonly allow?: string } = {},
): Response {
  const { retryAfterSeconds, allow } = more;
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (retryAfterSeconds !== undefined) headers.set("Retry-After", `${retryAfterSeconds}`);
  if (allow !== undefined) headers.set("Allow", allow);
  const retryable = isRetryable(status);
  const response = Response.json({ error, message, retryable }, { status, headers });
  problems.set(response, { error, message });
  return response;
}
