/** An imported API, on its way to a configuration that a person reviews. */
import { coversPattern } from "../routing/route-overlap.ts";
import { parseRoutePattern, type RoutePattern } from "../routing/route-pattern.ts";

export interface ImportedRoute {
  /** As a rule matches it: `GET /v1/reports/:id`. */
  readonly match: string;
  /** USDC, or `free`; undefined without a price. */
  readonly price: string | undefined;
  readonly description: string | undefined;
  /** Whether the response is a stream of events. */
  readonly isEventStream?: boolean;
}

export interface ImportedApi {
  /** Whether the file is an OpenAPI document, which the gateway can serve with prices. */
  readonly isOpenapi: boolean;
  readonly title: string | undefined;
  /** The upstream's base address, if the file contains one. */
  readonly upstreamUrl: string | undefined;
  /** Whether the upstream requires credentials. */
  readonly isGuarded: boolean;
  /** With those without a price, exact paths before templated ones. */
  readonly routes: readonly ImportedRoute[];
  /** Operations that no rule can match, with the reason. */
  readonly leftOut: readonly { readonly operation: string; readonly why: string }[];
}

/** The file cannot be imported; the message says why. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}

/**
 * Separates possible rules from other operations. In OpenAPI an exact path precedes a templated
 * one, while here the first rule applies, so each path goes before the first that covers it.
 */
export function sortRoutes(found: readonly ImportedRoute[]) {
  const placed: { readonly route: ImportedRoute; readonly pattern: RoutePattern }[] = [];
  const leftOut: { readonly operation: string; readonly why: string }[] = [];
  for (const route of found) {
    const pattern = parseRoutePattern(route.match);
    if (typeof pattern === "string") {
      leftOut.push({ operation: route.match, why: pattern });
      continue;
    }
    const at = placed.findIndex(
      (one) => coversPattern(one.pattern, pattern) && !coversPattern(pattern, one.pattern),
    );
    placed.splice(at < 0 ? placed.length : at, 0, { route, pattern });
  }
  return { routes: placed.map(({ route }) => route), leftOut };
}

/** Returns the first line of a text, short enough for a header. */
export function shortDescription(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  return line === "" ? undefined : line.slice(0, maxDescriptionChars);
}

/** A sentence; the challenge repeats it in a header. */
const maxDescriptionChars = 120;
