/** Which headers pass through the gateway: the lists that requests are changed by, and explained by. */
import { headerNames } from "@farthing/protocol";

/** Belong to one connection, RFC 9110 7.6.1; those named in `Connection` go as well. */
export const hopByHop: readonly string[] = [
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

/** Where a payment travels. */
export const paymentHeaders: readonly string[] = [
  headerNames.paymentSignature,
  headerNames.xPayment,
].map((name) => name.toLowerCase());

/** Frameworks that honour them choose another route after the price was chosen. */
export const overrideHeaders: readonly string[] = [
  "x-original-url",
  "x-rewrite-url",
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
];

/** Claims about the client that only the gateway makes; all of `x-forwarded-…` with them. */
export const forwardedHeaders: readonly string[] = ["forwarded", "x-real-ip"];

/** Credentials of the client, for another server than the upstream unless a route passes them. */
export const clientCredentials = ["authorization", "cookie"] as const;

/** Ask for a part of an answer, or for none: not what is sold, so paid routes drop them. */
export const partialHeaders: readonly string[] = [
  "range",
  "if-range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
];

/** Beginnings of names that are the gateway's own: facts about the payment, and its client. */
export const ownPrefixes: readonly string[] = ["x-payment-", "x-forwarded-", "payment-"];

/** Added to every request for the upstream. */
export const addedHeaders: readonly string[] = [
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-request-id",
  "traceparent",
];

/** Added to paid requests: who paid, how much, where, and for which settlement. */
export const paymentFacts: readonly string[] = [
  "x-payment-payer",
  "x-payment-amount",
  "x-payment-network",
  "x-payment-id",
];
