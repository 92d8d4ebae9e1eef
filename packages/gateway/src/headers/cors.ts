/** CORS for free responses and preflights. The exchange adds CORS to its own responses. */
import { exposedHeaders, headerNames, passHeaders, signInHeader } from "@farthing/protocol";

/** Headers that a script may send. Stock buyers send the last one. */
const allowedHeaders = [
  headerNames.paymentSignature,
  headerNames.xPayment,
  passHeaders.token,
  signInHeader,
  "Idempotency-Key",
  "Content-Type",
  "Authorization",
  "Access-Control-Expose-Headers",
];

/** Lifetime of a preflight in the browser: one visit. */
const maxPreflightSeconds = 600;

const exposedToScripts = exposedHeaders.join(", ");

export function preflight(methods: readonly string[]): Response {
  return withCors(
    new Response(null, {
      status: 204,
      headers: {
        Allow: [...methods, "OPTIONS"].join(", "),
        "Access-Control-Allow-Methods": methods.join(", "),
        "Access-Control-Allow-Headers": allowedHeaders.join(", "),
        "Access-Control-Max-Age": `${maxPreflightSeconds}`,
      },
    }),
  );
}

/** Lets scripts of all origins read a response, unless the upstream restricts it. */
export function withCors<R extends { readonly headers: Pick<Headers, "has" | "set"> }>(
  response: R,
): R {
  const { headers } = response;
  if (headers.has("Access-Control-Allow-Origin")) return response;
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", exposedToScripts);
  return response;
}
