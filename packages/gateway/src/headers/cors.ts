/**
 * What browsers ask of answers to other origins' scripts. The exchange of payments adds them to
 * its own responses; these are the free ones, and the preflight, which is never forwarded.
 */
import { headerNames } from "@farthing/protocol";

/** Headers that a script may send; stock buyers send the last one, a response header by its name. */
const allowedHeaders = [
  headerNames.paymentSignature,
  headerNames.xPayment,
  "Content-Type",
  "Authorization",
  "Access-Control-Expose-Headers",
];

/** Headers that a script may read. */
const exposedHeaders = [
  headerNames.paymentRequired,
  headerNames.paymentResponse,
  headerNames.xPaymentResponse,
  "Retry-After",
];

/** How long a browser may remember the preflight, in seconds: one visit. */
const preflightSecondsMax = 600;

/** Answers OPTIONS. */
export function preflight(methods: readonly string[]): Response {
  return withCors(
    new Response(null, {
      status: 204,
      headers: {
        Allow: [...methods, "OPTIONS"].join(", "),
        "Access-Control-Allow-Methods": methods.join(", "),
        "Access-Control-Allow-Headers": allowedHeaders.join(", "),
        "Access-Control-Max-Age": `${preflightSecondsMax}`,
      },
    }),
  );
}

/** Lets scripts of all origins read a response, unless the upstream has said which may. */
export function withCors<R extends { readonly headers: Headers }>(response: R): R {
  const { headers } = response;
  if (headers.has("Access-Control-Allow-Origin")) return response;
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", exposedHeaders.join(", "));
  return response;
}
