/**
 * What browsers ask of answers to other origins' scripts. The exchange of payments dresses its own
 * answers; these are the free ones, and the preflight, which is never forwarded.
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

/** Lets scripts of all origins read an answer, unless whoever made it has said who may. */
export function withCors(response: Response): Response {
  addCors(response.headers);
  return response;
}

/** The same for an answer's headers alone. */
export function addCors(headers: Headers): Headers {
  if (headers.has("Access-Control-Allow-Origin")) return headers;
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", exposedHeaders.join(", "));
  return headers;
}
