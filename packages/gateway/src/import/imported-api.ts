/** An API as another file describes it, on its way to a configuration that a person reviews. */
import { coversPattern } from "../routing/route-overlap.ts";
import { parseRoutePattern, type RoutePattern } from "../routing/route-pattern.ts";

/** One route that can be sold. */
export interface ImportedRoute {
  /** As a rule matches it: `GET /v1/reports/:id`. */
  readonly match: string;
  /** USDC, or `free`; undefined: nobody said. */
  readonly price: string | undefined;
  readonly description: string | undefined;
  /** Whether the answer is a stream of events, which is sent as it is made. */
  readonly isEventStream?: boolean;
}

/** What a file said. */
export interface ImportedApi {
  /** Whether the file is an OpenAPI document, which the gateway can serve with prices. */
  readonly isOpenapi: boolean;
  readonly title: string | undefined;
  /** The upstream's base address; undefined when the file does not say. */
  readonly upstreamUrl: string | undefined;
  /** Whether the upstream asks for credentials. */
  readonly isGuarded: boolean;
  /** Those without price included, exact paths before templated ones. */
  readonly routes: readonly ImportedRoute[];
  /** What no rule can match, with the reason. */
  readonly leftOut: readonly { readonly operation: string; readonly why: string }[];
}

/** Nothing can be made of a file; the message says why. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}

/**
 * Sorts what can be a rule from what cannot. OpenAPI's rule is that an exact path goes before a
 * templated one; here the first rule holds, so a path goes before the first that covers it. The
 * order of the file stays otherwise.
 */
export function sortRoutes(
  found: readonly ImportedRoute[],
): Pick<ImportedApi, "routes" | "leftOut"> {
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

/** First line of a text, short enough for a header. */
export function shortDescription(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  return line === "" ? undefined : line.slice(0, descriptionCharsMax);
}

/** A sentence; the challenge repeats it in a header. */
const descriptionCharsMax = 120;
