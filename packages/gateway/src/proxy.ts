/** Proxies free and paid requests to the upstream: headers, bodies and failures. */
import { Readable } from "node:stream";
import { defined, isBodiless, isEventStream } from "@farthing/protocol";
import { responseOfBytes, type PaidRequest, type PlainResponse } from "@farthing/seller";
import type { HeaderFields } from "./headers/header-fields.ts";
import { clientHeaders } from "./headers/response-headers.ts";
import type { RouteConfig } from "./configuration/configuration.ts";
import type { Incoming } from "./incoming.ts";
import type { RequestContext } from "./outcome.ts";
import { upstreamHeaders, type PaymentFacts } from "./headers/request-headers.ts";
import { errorResponse, type GatewayCode } from "./error-response.ts";
import { readUsage, watchUsage } from "./usage-cost.ts";
import { contentCodingOf, readUsageRequest } from "./usage-request.ts";
import type { Upstream, UpstreamResponse, UpstreamCall, UpstreamFailure } from "./upstream.ts";

export interface RouteTarget {
  readonly route: RouteConfig;
  readonly upstream: Upstream;
  readonly publicUrl: string;
}

interface ProxiedResponse<B> {
  readonly status: number;
  readonly headers: HeaderFields;
  /** A stream, or all of the body. */
  readonly body: B | null;
}

/** Proxies a free request. Streams its body, and cancels the call when the client disconnects. */
export async function proxyFreeRequest(
  target: RouteTarget,
  incoming: Incoming,
  context: RequestContext,
): Promise<ProxiedResponse<Readable | Uint8Array<ArrayBuffer>> | Response> {
  const { route, upstream } = target;
  const body = incoming.openBody(route.upstream.requestBytesMax);
  if (body === "too_large") return tooLarge(route);
  const { contentLength, gone: signal } = incoming;
  const length = body && contentLength !== undefined ? { contentLength } : {};
  const response = await proxyRequest(target, incoming, context, {
    ...length,
    body,
    signal,
    isUnpaid: true,
    ask: (call) => upstream.open(call),
  });
  if (!body?.errored) return response;
  if (response.body instanceof Readable) response.body.destroy();
  return tooLarge(route);
}

/** Proxies a paid request. The call continues, and its response is kept, without the client. */
export async function proxyPaidRequest(
  target: RouteTarget,
  incoming: Incoming,
  payment: PaidRequest,
  context: RequestContext,
): Promise<Response> {
  const { route, upstream } = target;
  const read = await incoming.readBody(route.upstream.requestBytesMax);
  if (!read) return tooLarge(route);
  const prices = route.costFrom?.usage;
  const asked = prices && readUsageRequest(read);
  const bytes = asked?.body ?? read;
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
  const { status, body } = response;
  // The cost of a channel's request is read from its whole response.
  const { meter } = payment;
  if (!(prices && meter) && body instanceof Uint8Array) {
    return responseOfBytes(body, { status, headers: response.headers.pairs() });
  }
  const headers = response.headers.toHeaders();
  const stream = body instanceof Readable ? toWeb(body) : body;
  if (!prices || !meter || stream === null) return new Response(stream, { status, headers });
  const stops = route.balance?.overrun === "stop";
  const rules = { prices, inputEstimate: stops ? asked?.inputEstimate : undefined };
  if (stream instanceof Uint8Array) {
    readUsage(stream, isEventStream(headers), rules, meter);
    return new Response(stream, { status, headers });
  }
  const watched = watchUsage(stream, isEventStream(headers), rules, meter);
  return new Response(watched, { status, headers });
}

/** Proxies the use of a pass: as a paid request, with the response as plain bytes. */
export async function proxyPassUse(
  target: RouteTarget,
  incoming: Incoming,
  payment: PaidRequest,
  context: RequestContext,
): Promise<PlainResponse<HeaderFields> | Response> {
  const { route } = target;
  const body = incoming.hasBody
    ? await incoming.readBody(route.upstream.requestBytesMax)
    : new Uint8Array();
  if (!body) return tooLarge(route);
  return proxyRequest(target, incoming, context, {
    body: body.byteLength > 0 ? body : undefined,
    payment: paymentFacts(payment),
    ask: (call) => target.upstream.fetch(call),
  });
}

/** Refuses, before anything is paid, a body whose cost could be hidden in its coding. */
export function refuseCoding({ costFrom }: RouteConfig, { headers }: Incoming) {
  if (!costFrom || contentCodingOf(headers["content-encoding"]) === undefined) return undefined;
  const message = "Send the body without a content coding; its use of tokens is read here.";
  const refused = errorResponse(415, "unsupported_coding", message);
  // RFC 9110 15.5.16: what the client may send instead.
  refused.headers.set("Accept-Encoding", "identity");
  return refused;
}

/** The differences between free and paid requests. */
interface Passage<B> extends Pick<UpstreamCall, "body" | "signal" | "isUnpaid"> {
  /** For a body that is a stream, as declared by the client. */
  readonly contentLength?: number;
  readonly payment?: PaymentFacts | undefined;
  readonly ask: (call: UpstreamCall) => Promise<UpstreamResponse<B>>;
}

async function proxyRequest<B extends Readable | Uint8Array<ArrayBuffer>>(
  { route, publicUrl }: RouteTarget,
  { method, target, ...client }: Incoming,
  context: RequestContext,
  { contentLength, payment, ask, ...rest }: Passage<B>,
): Promise<ProxiedResponse<B> | Response> {
  const headers = upstreamHeaders(client, route, publicUrl, payment);
  if (contentLength !== undefined) headers["content-length"] = `${contentLength}`;
  const call: UpstreamCall = { method, target, headers, ...rest };
  const startedMs = performance.now();
  const response = await ask(call);
  context.upstreamMs = performance.now() - startedMs;
  if (response.kind === "failed") return failureResponse(response.reason, context);
  const { status, body } = response;
  const hasBody = method !== "HEAD" && !isBodiless(status);
  // The short rest is read, so that the connection can be reused.
  if (!hasBody && body instanceof Readable) body.resume();
  const passed = clientHeaders(response.headers, route, publicUrl);
  const costHeader = route.channel?.costHeader;
  // Only the charge to a channel reads it.
  if (costHeader !== undefined && payment?.channel === undefined) passed.delete(costHeader);
  return { status, headers: passed, body: hasBody ? body : null };
}

/** Returns what the upstream learns of the payment: nothing for `head: free`, which has none. */
export function paymentFacts(payment: PaidRequest): PaymentFacts | undefined {
  const { payer, amount, network, settlementId, transaction, channel } = payment;
  if (amount === "0") return undefined;
  const id = settlementId ?? transaction;
  return { payer, amount, network, ...defined({ id, channel: channel?.id }) };
}

function toWeb(body: Readable): ReadableStream<Uint8Array> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node declares the same class twice
  return Readable.toWeb(body) as ReadableStream<Uint8Array>;
}

/** Calls under way have ended by then. */
const busyRetrySeconds = 2;

/** Messages to the client; they never name the upstream's address. */
const failures = {
  full: [503, "upstream_busy", "Too many requests are under way; try again shortly."],
  timed_out: [504, "upstream_timed_out", "The server behind the gateway took too long."],
  unreachable: [502, "upstream_unreachable", "The server behind the gateway is not reachable."],
  too_large: [502, "upstream_answer_too_large", "The server's answer is larger than allowed."],
  broken: [502, "upstream_broken", "The server behind the gateway broke off its answer."],
  bad_status: [502, "upstream_broken", "The upstream answered with a status that does not exist."],
  // No one reads this.
  gone: [502, "upstream_broken", "The client left."],
} as const satisfies Readonly<
  Record<UpstreamFailure, readonly [status: number, code: GatewayCode, message: string]>
>;

export function failureResponse(reason: UpstreamFailure, context: RequestContext): Response {
  context.failure = reason;
  const [status, code, message] = failures[reason];
  const more = reason === "full" ? { retryAfterSeconds: busyRetrySeconds } : undefined;
  return errorResponse(status, code, message, more);
}

export function tooLarge({ upstream }: RouteConfig): Response {
  const message = `A request has at most ${upstream.requestBytesMax} bytes of body here.`;
  return errorResponse(413, "request_too_large", message);
}
