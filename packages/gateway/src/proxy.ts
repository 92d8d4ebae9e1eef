/** A paid request's way to the upstream and back, and what is said when there is no answer. */
import { Readable } from "node:stream";
import type { PaidRequest } from "@farthing/seller";
import { clientHeaders } from "./headers/answer-headers.ts";
import type { RouteConfig } from "./configuration/configuration.ts";
import type { Incoming } from "./incoming.ts";
import type { Notes } from "./observations.ts";
import { upstreamHeaders, type PaymentFacts } from "./headers/request-headers.ts";
import { say, type GatewayCode } from "./say.ts";
import type {
  OpenAnswer,
  Upstream,
  UpstreamCall,
  UpstreamFailure,
  WholeAnswer,
} from "./upstream.ts";

/** Where a request goes, and under which rule. */
export interface Way {
  readonly route: RouteConfig;
  readonly upstream: Upstream;
  readonly publicUrl: string;
}

/**
 * Passes a paid request on. Its body is there already, since it is bound to the payment, and it goes
 * on when the client leaves: what he paid for is kept for him.
 */
export async function passPaid(
  way: Way,
  incoming: Incoming,
  payment: PaidRequest,
  notes: Notes,
): Promise<Response> {
  const { upstream, route } = way;
  const bytes = (await incoming.readBody(route.upstream.requestBytesMax)) ?? new Uint8Array();
  const facts = paymentFacts(payment);
  const call: UpstreamCall = {
    method: incoming.method,
    target: incoming.target,
    headers: upstreamHeaders(incoming, route, way.publicUrl, facts),
    body: bytes.byteLength > 0 ? bytes : undefined,
  };
  const startedMs = performance.now();
  const answer = await (route.stream ? upstream.open(call) : upstream.fetch(call));
  notes.upstreamMs = performance.now() - startedMs;
  return answer.kind === "failed" ? tellFailure(answer.reason, notes) : toResponse(way, answer);
}

/** What the upstream is told of the payment: nothing of one that nobody made (`head: free`). */
function paymentFacts(payment: PaidRequest): PaymentFacts | undefined {
  const { payer, amount, network, settlementId, transaction } = payment;
  if (amount === "0") return undefined;
  const id = settlementId ?? transaction;
  return { payer, amount, network, ...(id === undefined ? {} : { id }) };
}

/** Statuses of answers that have no body. */
const bodiless = new Set([204, 205, 304]);

function toResponse(way: Way, answer: OpenAnswer | WholeAnswer): Response {
  const { status, body } = answer;
  const headers = clientHeaders(answer.headers, way.route, way.publicUrl);
  if (bodiless.has(status)) {
    // Read to its end, which is near, so that the connection can be used again.
    if (body instanceof Readable) body.resume();
    return new Response(null, { status, headers });
  }
  return new Response(body instanceof Readable ? toWeb(body) : body, { status, headers });
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
export function tellFailure(reason: UpstreamFailure, notes: Notes): Response {
  notes.failure = reason;
  const [status, code, message] = failures[reason];
  const more = reason === "full" ? { retryAfterSeconds: busyRetrySeconds } : undefined;
  return say(status, code, message, more);
}

/** Says that a request has too large a body. */
export function tooLarge({ upstream }: RouteConfig): Response {
  const message = `A request has at most ${upstream.requestBytesMax} bytes of body here.`;
  return say(413, "request_too_large", message);
}
