/** What a seller's books keep of a sale; the call of `/settle` states it. */
import {
  bookedRouteCharsMax,
  bookHeaderNames,
  defined,
  isBookText,
  referenceCharsMax,
  type SaleKind,
} from "@farthing/protocol";
import { ConfigurationError } from "./option-values.ts";

export interface SaleBooks {
  /** Name of the route, such as `GET /reports/:id`. */
  readonly route?: string;
  /** The seller's own name of the sale, such as an order number. */
  readonly reference?: string;
  /** What the payment opens beside its response: only `seller.refund` ends it. */
  readonly opens?: SaleKind;
}

export function parseReference(value: unknown): string | undefined {
  return parseText("reference", value, referenceCharsMax, '"order-1001"');
}

export function parseRouteName(value: unknown): string | undefined {
  return parseText("route", value, bookedRouteCharsMax, '"GET /reports/:id"');
}

/** Returns a route as a router names it; undefined where that cannot be kept. */
export function routeNameOf(method: string, path: unknown): string | undefined {
  if (typeof path !== "string" || path === "") return undefined;
  const name = `${method} ${path}`;
  return isBookText(name, bookedRouteCharsMax) ? name : undefined;
}

export function bookHeaders({ route, reference, opens }: SaleBooks): Record<string, string> {
  return defined({
    [bookHeaderNames.route]: route,
    [bookHeaderNames.reference]: reference,
    [bookHeaderNames.opens]: opens,
  });
}

function parseText(field: string, value: unknown, charsMax: number, example: string) {
  if (value === undefined || isBookText(value, charsMax)) return value;
  throw new ConfigurationError(field, `1 to ${charsMax} printable ASCII characters`, example);
}
