/**
 * Which headers pass between client and upstream. Names are compared with `_` read as `-`: servers
 * that hand headers on as variables (CGI, WSGI, PHP) take both for the same.
 */

/** Of one connection, not of the message: RFC 9110 7.6.1, and what older servers add to it. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What only the gateway says: the payment of either version, and the facts about it. */
const paymentName = /^(payment-|x-payment)/;

/** What a proxy says about the client; a client's own word for it counts for nothing. */
const forwardedName = /^(forwarded$|x-forwarded-|x-real-ip$|x-request-id$|traceparent$|tracestate$)/;

/** By which frameworks choose another path or method than the one that was priced. */
const overrideNames = new Set([
  "x-original-url",
  "x-rewrite-url",
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
]);

/** Written for each call, or answered by the gateway itself. */
const ownNames = new Set(["host", "content-length", "expect"]);

/** With these the answer would be another one (206, 304) than the one that is sold. */
const partialNames = new Set([
  "range",
  "if-range",
  "if-none-match",
  "if-modified-since",
  "if-match",
  "if-unmodified-since",
]);

/** Headers of the upstream that speak of its own address. */
const addressNames = new Set(["alt-svc"]);

/** Headers of client and upstream that a route may let through. */
export type Passed = "authorization" | "cookie" | "set-cookie";

/** What a header's rule depends on. */
export interface RequestRule {
  readonly isPaid: boolean;
  readonly pass: readonly Passed[];
  /** Names that the configuration sets; the client cannot. */
  readonly configured: readonly string[];
}

/** Whether a client's header goes to the upstream. */
export function isPassedToUpstream(name: string, rule: RequestRule): boolean {
  const known = canonicalName(name);
  if (hopByHop.has(known) || ownNames.has(known) || overrideNames.has(known)) return false;
  if (paymentName.test(known) || forwardedName.test(known)) return false;
  if (known === "authorization" || known === "cookie") return rule.pass.includes(known);
  if (rule.isPaid && partialNames.has(known)) return false;
  return !rule.configured.some((own) => canonicalName(own) === known);
}

/** Whether an upstream's header goes to the client. `location` is treated apart. */
export function isPassedToClient(name: string, pass: readonly Passed[]): boolean {
  const known = canonicalName(name);
  if (hopByHop.has(known) || addressNames.has(known) || paymentName.test(known)) return false;
  if (known === "set-cookie" || known === "set-cookie2") return pass.includes("set-cookie");
  return true;
}

/** The headers that `Connection` names, which belong to that connection as well. */
export function namedInConnection(value: string | readonly string[] | undefined): Set<string> {
  const text = typeof value === "string" ? value : (value ?? []).join(",");
  return new Set(text.split(",").map((name) => name.trim().toLowerCase()));
}

function canonicalName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
