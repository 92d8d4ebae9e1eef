/**
 * A request's way to the upstream and back, the same for free and for paid ones: the headers of both
 * directions, the two bodies, and what is responded when the upstream gave no response.
 */
import { Readable } from "node:stream";
import type { PaidRequest } from "@farthing/seller";
import { clientHeaders } from "./headers/response-headers.ts";
import type { RouteConfig } from "./configuration/configuration.ts";
import type { Incoming } from "./incoming.ts";
import type { RequestContext } from "./request-context.ts";
import { upstreamHeaders, type PaymentFacts } from "./headers/request-headers.ts";
import { errorResponse, type GatewayCode } from "./error-response.ts";
import type {
  NoResponse,
  Upstream,
  UpstreamResponse,
  UpstreamCall,
  UpstreamFailure,
} from "./upstream.ts";

/** Where a request goes, and under which rule. */
export interface RouteTarget {
  readonly route: RouteConfig;
  readonly upstream: Upstream;
  readonly publicUrl: string;
}

/** The upstream's response with the headers that the client gets. */
interface ProxiedResponse<B> {
  readonly status: number;
  readonly headers: Headers;
  /** A stream that may still be arriving, or all of it. */
  readonly body: B | null;
}

/**
 * Proxies a free request: its body goes on as it arrives, and the call ends when the client leaves.
 */
export async function proxyFreeRequest(
  target: RouteTarget,
  incoming: Incoming,
  context: RequestContext,
): Promise<ProxiedResponse<Readable> | Response> {
  const { route, upstream } = target;
  const body = incoming.openBody(route.upstream.requestBytesMax);
  if (body === "too_large") return tooLarge(route);
  const { contentLength, gone: signal } = incoming;
  const length = body && contentLength !== undefined ? { contentLength } : {};
  const response = await proxyRequest(target, incoming, context, {
    ...length,
    body,
    signal,
    ask: (call) => upstream.open(call),
  });
  if (!body?.errored) return response;
  if (response.body instanceof Readable) response.body.destroy();
  return tooLarge(route);
}

/**
 * Proxies a paid request: its body has been read already, since it is bound to the payment, and the
 * call goes on when the client leaves: the response that they paid for is kept for them.
 */
export async function proxyPaidRequest(
  target: RouteTarget,
  incoming: Incoming,
  payment: PaidRequest,
  context: RequestContext,
): Promise<Response> {
  const { route, upstream } = target;
  const bytes = (await incoming.readBody(route.upstream.requestBytesMax)) ?? new Uint8Array();
  const response = await proxyRequest<Readable | Uint8Array<ArrayBuffer>>(
    target,
    incoming,
    context,
    {
      body: bytes.byteLength > 0 ? bytes : undefined,
      payment: paymentFacts(payment),
      ask: (call) => (route.stream ? upstream.open(call) : upstream.fetch(call)),
    },
  );
  if (response instanceof Response) return response;
  const { status, headers, body } = response;
  return new Response(body instanceof Readable ? toWeb(body) : body, { status, headers });
}

/** In what free and paid requests differ on their way. */
interface Passage<B> extends Pick<UpstreamCall, "body" | "signal"> {
  /** Of a body that is a stream, where the client has declared it. */
  readonly contentLength?: number;
  readonly payment?: PaymentFacts | undefined;
  readonly ask: (call: UpstreamCall) => Promise<UpstreamResponse<B> | NoResponse>;
}

async function proxyRequest<B extends Readable | Uint8Array<ArrayBuffer>>(
  { route, publicUrl }: RouteTarget,
  { method, target, ...client }: Incoming,
  context: RequestContext,
  { contentLength, payment, ask, ...bodyAndSignal }: Passage<B>,
): Promise<ProxiedResponse<B> | Response> {
  const headers = upstreamHeaders(client, route, publicUrl, payment);
  if (contentLength !== undefined) headers["content-length"] = `${contentLength}`;
  const call: UpstreamCall = { method, target, headers, ...bodyAndSignal };
  const startedMs = performance.now();
  const response = await ask(call);
  context.upstreamMs = performance.now() - startedMs;
  if (response.kind === "failed") return failureResponse(response.reason, context);
  const { status } = response;
  return {
    status,
    headers: clientHeaders(response.headers, route, publicUrl),
    body: method === "HEAD" || bodiless.has(status) ? readToEnd(response.body) : response.body,
  };
}

/** Statuses of responses that have no body. */
const bodiless = new Set([204, 205, 304]);

/** Reads a body to its end, which is near, so that the connection can be used again. */
function readToEnd(body: Readable | Uint8Array): null {
  if (body instanceof Readable) body.resume();
  return null;
}

/** What the upstream is told of the payment: nothing of one that nobody made (`head: free`). */
function paymentFacts(payment: PaidRequest): PaymentFacts | undefined {
  const { payer, amount, network, settlementId, transaction } = payment;
  if (amount === "0") return undefined;
  const id = settlementId ?? transaction;
  return { payer, amount, network, ...(id === undefined ? {} : { id }) };
}

function toWeb(body: Readable): ReadableStream<Uint8Array> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node declares the same class twice
  return Readable.toWeb(body) as ReadableStream<Uint8Array>;
}

/** Seconds after which asking again is worth it: calls under way are done by then. */
const busyRetrySeconds = 2;

/** What a client is told; never where the upstream is. */
const failures: Readonly<
  Record<UpstreamFailure, readonly [status: number, code: GatewayCode, message: string]>
> = {
  full: [503, "upstream_busy", "Too many requests are under way; try again shortly."],
  timed_out: [504, "upstream_timed_out", "The server behind the gateway took too long."],
  unreachable: [502, "upstream_unreachable", "The server behind the gateway is not reachable."],
  too_large: [502, "upstream_answer_too_large", "The server's answer is larger than allowed."],
  broken: [502, "upstream_broken", "The server behind the gateway broke off its answer."],
  bad_status: [502, "upstream_broken", "The upstream answered with a status that does not exist."],
  // Nobody is there to hear it.
  gone: [502, "upstream_broken", "The client left."],
};

/** Says that there is no answer of the upstream, and notes why. */
export function failureResponse(reason: UpstreamFailure, context: RequestContext): Response {
  context.failure = reason;
  const [status, code, message] = failures[reason];
  const more = reason === "full" ? { retryAfterSeconds: busyRetrySeconds } : undefined;
  return errorResponse(status, code, message, more);
}

/** Says that a request has too large a body. */
export function tooLarge({ upstream }: RouteConfig): Response {
  const message = `A request has at most ${upstream.requestBytesMax} bytes of body here.`;
  return errorResponse(413, "request_too_large", message);
}
