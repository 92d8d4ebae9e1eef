/** Whether one rule takes all or some requests of another. */
import { allRoutes, type GatewayConfig, type RouteConfig } from "../configuration/configuration.ts";
import { isSameHost } from "./canonical-path.ts";
import type { PatternSegment, RoutePattern } from "./route-pattern.ts";

/** Whether `wide` matches every request that `narrow` matches. */
export function covers(wide: RouteConfig, narrow: RouteConfig): boolean {
  const { pattern: one } = wide;
  const { pattern: other } = narrow;
  if (one.method !== "*" && one.method !== other.method) return false;
  if (wide.host !== undefined && !isSameHost(wide.host, narrow.host)) return false;
  // An upstream that refuses an escaped slash leaves such paths to later rules.
  if (narrow.upstream.paths.allowEncodedSlash && !wide.upstream.paths.allowEncodedSlash) {
    return false;
  }
  // A case-sensitive upstream leaves the other spellings.
  const isCaseKept = wide.upstream.paths.caseInsensitive || !narrow.upstream.paths.caseInsensitive;
  const isOpen = one.segments.every(({ kind }) => kind === "parameter");
  return (isCaseKept || isOpen) && coversPath(wide, narrow);
}

/** Compares paths only. */
export function coversPath(wide: RouteConfig, narrow: RouteConfig): boolean {
  return coversPattern(wide.pattern, narrow.pattern, wide.upstream.paths.caseInsensitive);
}

/** Compares patterns that belong to no rule yet. */
export function coversPattern(one: RoutePattern, other: RoutePattern, isCaseIgnored = false) {
  const isLongEnough = other.segments.length >= one.segments.length;
  const isSameLength = other.segments.length === one.segments.length && !other.hasRest;
  if (!(one.hasRest ? isLongEnough : isSameLength)) return false;
  return one.segments.every(
    (segment, index) =>
      segment.kind === "parameter" || isSame(segment, other.segments[index], isCaseIgnored),
  );
}

/** Whether some request matches both. */
export function overlaps(one: RouteConfig, other: RouteConfig): boolean {
  const [a, b] = [one.pattern, other.pattern];
  if (a.method !== "*" && b.method !== "*" && a.method !== b.method) return false;
  const areBothNamed = one.host !== undefined && other.host !== undefined;
  if (areBothNamed && !isSameHost(one.host, other.host)) return false;
  if (!a.hasRest && a.segments.length < b.segments.length) return false;
  if (!b.hasRest && b.segments.length < a.segments.length) return false;
  if (!a.hasRest && !b.hasRest && a.segments.length !== b.segments.length) return false;
  const isCaseIgnored = [one, other].some(({ upstream }) => upstream.paths.caseInsensitive);
  return a.segments.every((segment, index) => {
    const beside = b.segments[index];
    if (!beside || segment.kind === "parameter" || beside.kind === "parameter") return true;
    return isSame(segment, beside, isCaseIgnored);
  });
}

function isSame(
  segment: PatternSegment,
  beside: PatternSegment | undefined,
  isCaseIgnored: boolean,
): boolean {
  if (segment.kind !== "literal" || beside?.kind !== "literal") return false;
  return isCaseIgnored ? segment.folded === beside.folded : segment.text === beside.text;
}

/** Returns the public host's rules for requests of a pattern, up to one that takes them all. */
export function rulesFor(config: GatewayConfig, pattern: RoutePattern): readonly RouteConfig[] {
  const { host } = new URL(config.publicUrl);
  const reachable = allRoutes(config).filter(
    (route) => route.host === undefined || isSameHost(route.host, host),
  );
  const found: RouteConfig[] = [];
  for (const route of reachable) {
    const asked = { ...route, pattern, host: undefined };
    if (!overlaps(route, asked)) continue;
    found.push(route);
    if (covers({ ...route, host: undefined }, asked)) break;
  }
  return found;
}
