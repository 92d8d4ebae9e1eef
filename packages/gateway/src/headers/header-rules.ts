/** The rules by which headers pass. CGI, WSGI and PHP read `_` and `-` in names as equal. */
import { headerNames, passHeaders, signInHeader } from "@farthing/protocol";
import {
  costHeaderOf,
  type PassedHeader,
  type RouteConfig,
} from "../configuration/configuration.ts";

/** Headers of one connection, RFC 9110 7.6.1, beside those named in `Connection`. */
const hopByHop: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

export const paymentHeaders: readonly string[] = [
  headerNames.paymentSignature,
  headerNames.xPayment,
].map((name) => name.toLowerCase());

/** What opens a paid route without a payment. */
export const tokenHeaders: readonly string[] = [passHeaders.token, signInHeader].map((name) =>
  name.toLowerCase(),
);

/** Frameworks that honour these choose another route after the price was chosen. */
export const overrideHeaders: readonly string[] = [
  "x-original-url",
  "x-rewrite-url",
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
];

/** Claims about the client that only the gateway makes, beside all of `x-forwarded-…`. */
const forwardedHeaders: readonly string[] = ["forwarded", "x-real-ip"];

/** Credentials of the client, which are not meant for the upstream unless a route passes them. */
export const clientCredentials = ["authorization", "cookie"] as const;

/** Requests for a part of a response, or for none. Paid routes remove them. */
const partialHeaders: readonly string[] = [
  "range",
  "if-range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
];

/** Prefixes of the gateway's own headers. */
export const ownPrefixes: readonly string[] = ["x-payment-", "x-forwarded-", "payment-"];

/** Added to every request for the upstream. */
export const addedHeaders: readonly string[] = [
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-request-id",
  "traceparent",
];

/** Added to paid requests. */
export const paymentFacts: readonly string[] = [
  "x-payment-payer",
  "x-payment-amount",
  "x-payment-network",
  "x-payment-id",
  "x-payment-channel",
];

export interface RequestRule {
  readonly isPaid: boolean;
  readonly pass: ReadonlySet<PassedHeader>;
  /** Names that the configuration sets, and the header with the cost; a client cannot. */
  readonly configured: ReadonlySet<string>;
}

export function requestRule(route: RouteConfig): RequestRule {
  const { upstream, amountUnits, pass } = route;
  const names = [...upstream.headers.keys()];
  // An upstream that returns headers of its request would let the buyer name the cost.
  const costHeader = costHeaderOf(route);
  if (costHeader !== undefined) names.push(costHeader);
  const configured = new Set(names.map(canonicalName));
  return { isPaid: amountUnits !== undefined, pass, configured };
}

/** Written for each call, or handled by the gateway's HTTP server. */
const ownHeaders = ["host", "content-length", "expect"];

const neverToUpstream = new Set([
  ...ownHeaders,
  ...hopByHop,
  ...paymentHeaders,
  ...overrideHeaders,
  ...forwardedHeaders,
  ...addedHeaders,
  signInHeader.toLowerCase(),
  // Belongs to `traceparent`, which is written anew.
  "tracestate",
]);

/** The client's headers that a rule may remove, beside those with a prefix of the gateway's. */
export const removableHeaders: readonly string[] = [
  ...clientCredentials,
  ...paymentHeaders,
  ...hopByHop,
  ...forwardedHeaders,
  ...overrideHeaders,
  ...partialHeaders,
];

/** Headers of the connection; and `alt-svc` would lead clients around the gateway. */
const neverToClient = new Set([...hopByHop, "alt-svc", "x-payment"]);

export function isPassedToUpstream(name: string, rule: RequestRule): boolean {
  const { known, kind } = kindOf(name);
  if (kind === "never" || rule.configured.has(known)) return false;
  if (kind === "credential") return [...rule.pass].some((one) => one === known);
  return !(rule.isPaid && kind === "partial");
}

interface HeaderKind {
  readonly known: string;
  readonly kind: "never" | "credential" | "partial" | "other";
}

/** Those that clients have sent, which choose their names: a few hundred short ones are remembered. */
const kinds = new Map<string, HeaderKind>();
const kindsMax = 500;
const kindCharsMax = 64;

function kindOf(name: string): HeaderKind {
  const remembered = kinds.get(name);
  if (remembered) return remembered;
  const known = canonicalName(name);
  const kind = { known, kind: kindOfCanonical(known) };
  if (kinds.size < kindsMax && name.length <= kindCharsMax) kinds.set(name, kind);
  return kind;
}

function kindOfCanonical(known: string): HeaderKind["kind"] {
  if (neverToUpstream.has(known) || isOurs(known)) return "never";
  if (clientCredentials.some((one) => one === known)) return "credential";
  return partialHeaders.includes(known) ? "partial" : "other";
}

/** Whether an upstream's header goes to the client: no receipts, cookies if configured. */
export function isPassedToClient(name: string, pass: ReadonlySet<PassedHeader>): boolean {
  const known = canonicalName(name);
  if (known === "set-cookie") return pass.has("set-cookie");
  return known !== "set-cookie2" && !neverToClient.has(known) && !isOurs(known);
}

/** What clients and servers nearly always say. */
const namesNone: ReadonlySet<string> = new Set();
const namesKeepAlive: ReadonlySet<string> = new Set(["keep-alive"]);

/** Returns the headers that `Connection` names, which belong to that connection as well. */
export function namedInConnection(
  value: string | readonly string[] | undefined,
): ReadonlySet<string> {
  if (value === undefined) return namesNone;
  if (value === "keep-alive") return namesKeepAlive;
  const text = typeof value === "string" ? value : value.join(",");
  return new Set(text.split(",").map((name) => name.trim().toLowerCase()));
}

function isOurs(name: string): boolean {
  return ownPrefixes.some((prefix) => name.startsWith(prefix));
}

export function canonicalName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
