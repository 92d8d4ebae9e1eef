/**
 * What one request costs and who is paid: fixed for the route, or computed for each request. The
 * terms of a request are computed once, and a payment is held against those and no others.
 */
import type { Network, Requirements } from "@farthing/protocol";
import type { RouteConfiguration } from "./configuration.ts";
import { offersOf } from "./offer.ts";

/** Computes the offers for one request. Throws what the seller's own functions throw. */
export type Quote<R> = (request: Request, original: R) => Promise<readonly Requirements[]>;

/** Creates the quote of a route. */
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
    // Without the body, which is read once, for the binding, and by the seller's code after it.
    const asked = new Request(request.url, { method: request.method, headers: request.headers });
    return offersOf(networks, {
      amount: typeof amount === "bigint" ? amount : await amount(asked, original),
      payTo: typeof payTo === "string" ? payTo : await payTo(asked, original),
      maxTimeoutSeconds,
    });
  };
}
