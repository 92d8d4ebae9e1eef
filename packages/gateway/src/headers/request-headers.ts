/** The headers for the upstream: the client's permitted ones, and the gateway's own. */
import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { readTraceContext, withSpan, type TraceContext } from "@farthing/protocol";
import type { RouteConfig } from "../configuration/configuration.ts";
import { isPassedToUpstream, namedInConnection, requestRule } from "./header-rules.ts";

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
}

/** Builds the headers of a call; configured ones, such as credentials, take precedence. */
export function upstreamHeaders(
  client: ClientFacts,
  route: RouteConfig,
  /** The public address; the Host header is the client's choice. */
  publicUrl: string,
  payment?: PaymentFacts,
): Record<string, string> {
  const rule = requestRule(route);
  const named = namedInConnection(client.headers.connection);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(client.headers)) {
    if (value === undefined || named.has(name) || !isPassedToUpstream(name, rule)) continue;
    headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  const { host, protocol } = new URL(publicUrl);
  return {
    ...headers,
    "x-forwarded-for": client.addresses.join(", "),
    "x-forwarded-proto": protocol.replace(":", ""),
    "x-forwarded-host": host,
    "x-request-id": client.requestId,
    ...traceHeaders(client.headers),
    ...(payment ? paymentHeaders(payment) : {}),
    // The usage is read from the body.
    ...(route.costFrom ? { "accept-encoding": "identity" } : {}),
    ...Object.fromEntries(route.upstream.headers),
  };
}

function paymentHeaders({ payer, amount, network, id }: PaymentFacts): Record<string, string> {
  return {
    "x-payment-payer": payer,
    "x-payment-amount": amount,
    "x-payment-network": network,
    ...(id === undefined ? {} : { "x-payment-id": id }),
  };
}

/** Continues the client's trace with a new span, or starts one. */
function traceHeaders({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext {
  const given = readTraceContext(traceparent, tracestate);
  const span = randomBytes(8).toString("hex");
  if (given) return withSpan(given, span);
  return { traceparent: `00-${randomBytes(16).toString("hex")}-${span}-00` };
}
