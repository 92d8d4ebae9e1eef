/** The headers that the upstream gets: the client's, less what is not his to say, and our own. */
import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isPassedToUpstream, namedInConnection, type RequestRule } from "./header-rules.ts";

/** A request as the gateway sees it. */
export interface ClientFacts {
  readonly headers: IncomingHttpHeaders;
  /** The client's address, and those of the trusted proxies before us, in the order of the way. */
  readonly addresses: readonly string[];
  readonly requestId: string;
}

/** What the upstream is told of a payment; signatures are none of its business. */
export interface PaymentFacts {
  readonly payer: string;
  /** USDC base units. */
  readonly amount: string;
  /** CAIP-2. */
  readonly network: string;
  /** The settlement, where there is one already. */
  readonly id?: string;
}

/** Names of the headers that carry payment facts. */
export const factNames = {
  payer: "X-Payment-Payer",
  amount: "X-Payment-Amount",
  network: "X-Payment-Network",
  id: "X-Payment-Id",
} as const;

/** Builds the headers of a call. `own` are the configured ones, credentials included. */
export function upstreamHeaders(
  client: ClientFacts,
  rule: Omit<RequestRule, "configured">,
  surroundings: {
    readonly own: Readonly<Record<string, string>>;
    /** Where buyers reach the gateway; the Host header is their choice and says nothing. */
    readonly publicUrl: string;
    readonly payment?: PaymentFacts;
  },
): Record<string, string> {
  const { own, publicUrl, payment } = surroundings;
  const full = { ...rule, configured: Object.keys(own) };
  const named = namedInConnection(client.headers.connection);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(client.headers)) {
    if (value === undefined || named.has(name) || !isPassedToUpstream(name, full)) continue;
    headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  const { host, protocol } = new URL(publicUrl);
  headers["X-Forwarded-For"] = client.addresses.join(", ");
  headers["X-Forwarded-Proto"] = protocol.replace(":", "");
  headers["X-Forwarded-Host"] = host;
  headers["X-Request-Id"] = client.requestId;
  Object.assign(headers, traceHeaders(client.headers));
  if (payment) {
    const { payer, amount, network, id } = payment;
    Object.assign(headers, { [factNames.payer]: payer, [factNames.amount]: amount });
    headers[factNames.network] = network;
    if (id !== undefined) headers[factNames.id] = id;
  }
  return { ...headers, ...own };
}

/** W3C Trace Context, version 00: trace, parent, flags. */
const traceparentPattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;
/** Longest tracestate that has to be passed on, in characters (W3C Trace Context 3.3.1.5). */
const tracestateCharsMax = 512;

/** Goes on with the client's trace, as a step of its own; starts one where there is none. */
function traceHeaders({ traceparent, tracestate }: IncomingHttpHeaders): Record<string, string> {
  const given = typeof traceparent === "string" ? traceparentPattern.exec(traceparent) : null;
  const step = randomBytes(8).toString("hex");
  const [, trace, flags] = given ?? [];
  if (trace === undefined || flags === undefined) {
    return { traceparent: `00-${randomBytes(16).toString("hex")}-${step}-00` };
  }
  const isKept = typeof tracestate === "string" && tracestate.length <= tracestateCharsMax;
  return { traceparent: `00-${trace}-${step}-${flags}`, ...(isKept ? { tracestate } : {}) };
}
