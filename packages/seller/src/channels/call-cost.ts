/** What a call of a channel costs: the price, or what the route's function says, and never more. */
import { parseCost, type CostOf } from "../balance-options.ts";
import type { PaidRequest } from "../events.ts";
import type { Made } from "../exchange/delivery.ts";
import type { ExchangeDeps } from "../exchange/paid-request.ts";

interface Costed {
  readonly cost: CostOf | undefined;
  /** The most, in base units. */
  readonly amount: bigint;
  readonly url: string;
  readonly payment: PaidRequest;
}

/** A stream costs the most: what was charged stands in a header, and so before the body. */
export async function costOf(
  { emit }: Pick<ExchangeDeps, "emit">,
  { cost, amount, url, payment }: Costed,
  { response, body }: Made,
): Promise<bigint> {
  if (!cost || body instanceof ReadableStream) return amount;
  const { status, headers } = response;
  const unreadable = (error?: unknown): bigint => {
    emit({ type: "cost_unreadable", url, payment, ...(error === undefined ? {} : { error }) });
    return amount;
  };
  try {
    const isBodiless = body === null || body.byteLength === 0;
    const shown = new Response(isBodiless ? null : body.slice(), { status, headers });
    const read = parseCost(await cost(shown, { metered: 0n, end: "complete" }));
    if (read === undefined) return unreadable();
    return read < 0n ? 0n : read > amount ? amount : read;
  } catch (error) {
    return unreadable(error);
  }
}

/** The same response without the header that names its cost, which is the seller's alone. */
export function withoutCost(costHeader: string, { response, body }: Made): Made {
  if (!response.headers.has(costHeader)) return { response, body };
  const { status } = response;
  const headers = new Headers(response.headers);
  headers.delete(costHeader);
  return { response: new Response(null, { status, headers }), body };
}
