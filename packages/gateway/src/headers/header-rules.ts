/** The lists of headers by which requests are changed and explained. */
import { headerNames } from "@farthing/protocol";

/** Headers of one connection, RFC 9110 7.6.1, beside those named in `Connection`. */
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

export const paymentHeaders: readonly string[] = [
  headerNames.paymentSignature,
  headerNames.xPayment,
].map((name) => name.toLowerCase());

/** Frameworks that honour these choose another route after the price was chosen. */
export const overrideHeaders: readonly string[] = [
  "x-original-url",
  "x-rewrite-url",
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
];

/** Claims about the client that only the gateway makes, beside all of `x-forwarded-…`. */
export const forwardedHeaders: readonly string[] = ["forwarded", "x-real-ip"];

/** Credentials of the client, which are not meant for the upstream unless a route passes them. */
export const clientCredentials = ["authorization", "cookie"] as const;

/** Requests for a part of a response, or for none. Paid routes remove them. */
export const partialHeaders: readonly string[] = [
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
];
