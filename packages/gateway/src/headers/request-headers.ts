/** The headers for the upstream: the client's permitted ones, and the gateway's own. */
import { randomFillSync } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { defined, readTraceContext, withSpan, type TraceContext } from "@farthing/protocol";
import type { RouteConfig } from "../configuration/configuration.ts";
import {
  isPassedToUpstream,
  namedInConnection,
  requestRule,
  type RequestRule,
} from "./header-rules.ts";

export interface ClientFacts {
  readonly headers: IncomingHttpHeaders;
  /** The client's address, and those of the trusted proxies, in the order of the path. */
  readonly addresses: readonly string[];
  readonly requestId: string;
}

/** The facts of a payment for the upstream, without signatures. */
export interface PaymentFacts {
  readonly payer: string;
  /** USDC base units. */
  readonly amount: string;
  /** CAIP-2. */
  readonly network: string;
  /** The settlement or transaction, where there is one already. */
  readonly id?: string;
  /** The channel that the request is charged to. */
  readonly channel?: string;
}

/** Builds the headers of a call; configured ones, such as credentials, take precedence. */
export function upstreamHeaders(
  client: ClientFacts,
  route: RouteConfig,
  /** The public address; the Host header is the client's choice. */
  publicUrl: string,
  payment?: PaymentFacts,
): Record<string, string> {
  const { rule, ...fixed } = fixedFor(route, publicUrl);
  const named = namedInConnection(client.headers.connection);
  const headers: Record<string, string> = {};
  for (const name in client.headers) {
    const value = client.headers[name];
    if (value === undefined || named.has(name) || !isPassedToUpstream(name, rule)) continue;
    headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  headers["x-forwarded-for"] = client.addresses.join(", ");
  headers["x-forwarded-proto"] = fixed.protocol;
  headers["x-forwarded-host"] = fixed.host;
  headers["x-request-id"] = client.requestId;
  Object.assign(headers, traceHeaders(client.headers));
  if (payment) Object.assign(headers, paymentFactHeaders(payment));
  // The usage is read from the body.
  if (route.costFrom) headers["accept-encoding"] = "identity";
  return Object.assign(headers, fixed.configured);
}

/** What is the same for every request of a route. */
interface FixedParts {
  readonly publicUrl: string;
  readonly rule: RequestRule;
  readonly host: string;
  readonly protocol: string;
  readonly configured: Readonly<Record<string, string>>;
}

const fixedParts = new WeakMap<RouteConfig, FixedParts>();

function fixedFor(route: RouteConfig, publicUrl: string): FixedParts {
  const made = fixedParts.get(route);
  if (made?.publicUrl === publicUrl) return made;
  const { host, protocol } = new URL(publicUrl);
  const fixed = {
    publicUrl,
    rule: requestRule(route),
    host,
    protocol: protocol.replace(":", ""),
    configured: Object.fromEntries(route.upstream.headers),
  };
  fixedParts.set(route, fixed);
  return fixed;
}

/** The headers with the facts of a payment. */
export function paymentFactHeaders({
  payer,
  amount,
  network,
  id,
  channel,
}: PaymentFacts): Record<string, string> {
  return defined({
    "x-payment-payer": payer,
    "x-payment-amount": amount,
    "x-payment-network": network,
    "x-payment-id": id,
    "x-payment-channel": channel,
  });
}

/** Continues the client's trace with a new span, or starts one. */
function traceHeaders({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext {
  const given = readTraceContext(traceparent, tracestate);
  const span = randomDigits(8);
  if (given) return withSpan(given, span);
  return { traceparent: `00-${randomDigits(16)}-${span}-00` };
}

/** Random bytes for some hundred names of traces, which are no secrets: one call fills them all. */
const randomPool = Buffer.alloc(8 * 1024);
let randomUsed = randomPool.length;

function randomDigits(bytes: number): string {
  if (randomUsed + bytes > randomPool.length) {
    randomFillSync(randomPool);
    randomUsed = 0;
  }
  return randomPool.toString("hex", randomUsed, (randomUsed += bytes));
}
