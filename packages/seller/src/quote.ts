/** The price and payee of a request: fixed for the route, or computed once for each request. */
import type { Network, Requirements } from "@farthing/protocol";
import type { RouteConfiguration } from "./configuration.ts";
import { offersOf } from "./offer.ts";

/** Computes the offers for one request. Throws what the seller's own functions throw. */
export type Quote<R> = (request: Request, original: R) => Promise<readonly Requirements[]>;

export function createQuote<R>(
  networks: readonly Network[],
  route: RouteConfiguration<R>,
): Quote<R> {
  const { amount, payTo, maxTimeoutSeconds } = route;
  if (typeof amount === "bigint" && typeof payTo === "string") {
    const offers = offersOf(networks, { amount, payTo, maxTimeoutSeconds });
    return async () => offers;
  }
  return async (request, original) => {
    // Without the body, which the binding and the seller's code read.
    const asked = new Request(request.url, { method: request.method, headers: request.headers });
    return offersOf(networks, {
      amount: typeof amount === "bigint" ? amount : await amount(asked, original),
      payTo: typeof payTo === "string" ? payTo : await payTo(asked, original),
      maxTimeoutSeconds,
    });
  };
}
