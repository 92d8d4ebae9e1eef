/** What a seller's books keep of a settlement beside the payment, and the headers that state it. */

/** Headers of a seller's call of `/settle`; they take precedence over the payment's own resource. */
export const bookHeaderNames = {
  /** The address that was paid for. */
  resource: "X-Payment-Resource",
  /** The seller's name of it, such as `GET /reports/:id`. */
  route: "X-Payment-Route",
  /** The seller's own name of the sale, such as an order number. */
  reference: "X-Payment-Reference",
  /** What the payment opens beside its response: a {@link SaleKind}. */
  opens: "X-Payment-Opens",
} as const;

/** Sales that are refunded by the seller's code alone, which ends what they have opened. */
export const saleKinds = ["pass", "balance"] as const;

export type SaleKind = (typeof saleKinds)[number];

/** An address without its query, of what was paid for. */
export const bookedResourceCharsMax = 512;
export const bookedRouteCharsMax = 128;
export const referenceCharsMax = 64;

/** Printable ASCII, as a header carries it. */
export function isBookText(text: unknown, charsMax: number): text is string {
  return (
    typeof text === "string" &&
    text.length > 0 &&
    text.length <= charsMax &&
    /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)
  );
}

/**
 * Scheme, host and path of an address; undefined for other text. The query and credentials stay
 * out, because they may hold what the buyer asked for.
 */
export function bookedResource(text: string): string | undefined {
  if (!/^(https?|mcp):\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, host, pathname } = new URL(text);
  const name = `${protocol}//${host}${pathname}`;
  return isBookText(name, bookedResourceCharsMax) ? name : undefined;
}
