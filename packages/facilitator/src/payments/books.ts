/** Reads what a settlement's books keep, from the seller's headers and from the payment. */
import {
  bookedResource,
  bookedRouteCharsMax,
  bookHeaderNames,
  defined,
  isBookText,
  member,
  referenceCharsMax,
  saleKinds,
  type PaymentRequest,
  type SaleKind,
} from "@farthing/protocol";
import type { CallerRequest } from "../http/access/caller.ts";
import { HttpProblem } from "../http/messages/responses.ts";

export interface SettlementBooks {
  /** Scheme, host and path of what was paid for. */
  readonly resource: string | null;
  readonly route: string | null;
  /** The seller's own name of the sale. */
  readonly reference: string | null;
  /** What the payment opens beside its response, which a refund has to end. */
  readonly opens?: SaleKind;
}

declare module "@farthing/engine" {
  interface ClaimTerms {
    readonly books?: SettlementBooks;
  }
}

type Headed = Pick<CallerRequest, "headers">;

export const noBooks: SettlementBooks = { resource: null, route: null, reference: null };

/**
 * The seller's words count before those of the requirements, and these before the buyer's. Throws
 * 400 for a header that cannot be kept: an order would be missing in the books.
 */
export function readBooks(
  request: Headed,
  { payment, requirements }: PaymentRequest,
): SettlementBooks {
  const own = headerOf(request, bookHeaderNames.resource);
  const named = own === undefined ? undefined : bookedResource(own);
  if (own !== undefined && named === undefined) {
    throw wrong(bookHeaderNames.resource, "an http or https address of at most 512 characters");
  }
  const paid = payment.resource && member(payment.resource, "url");
  const stated = [requirements.resource, paid].filter((text) => typeof text === "string");
  const resource = named ?? stated.map(bookedResource).find((text) => text !== undefined);
  return {
    resource: resource ?? null,
    route: textOf(request, bookHeaderNames.route, bookedRouteCharsMax),
    reference: textOf(request, bookHeaderNames.reference, referenceCharsMax),
    ...defined({ opens: saleKindOf(request) }),
  };
}

function saleKindOf(request: Headed): SaleKind | undefined {
  const text = headerOf(request, bookHeaderNames.opens);
  const kind = saleKinds.find((one) => one === text);
  if (text === undefined || kind) return kind;
  throw wrong(bookHeaderNames.opens, saleKinds.join(" or "));
}

function headerOf({ headers }: Headed, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function textOf(request: Headed, name: string, charsMax: number): string | null {
  const text = headerOf(request, name);
  if (text === undefined) return null;
  if (isBookText(text, charsMax)) return text;
  throw wrong(name, `1 to ${charsMax} printable ASCII characters`);
}

function wrong(name: string, shape: string): HttpProblem {
  return new HttpProblem("invalid_request", `${name} must be ${shape}.`);
}
