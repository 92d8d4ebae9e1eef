/** Rules that contradict each other or cannot be kept; a gateway does not start with them. */
import { formatUsdc } from "@farthing/protocol";
import type { Problem } from "../configuration/read-settings.ts";
import {
  allRoutes,
  hasSamePrice,
  maySendIndex,
  type GatewayConfig,
  type RouteConfig,
} from "../configuration/configuration.ts";
import { formatDuration } from "../configuration/duration-size.ts";
import { covers, coversPath, overlaps } from "./route-overlap.ts";
import { indexFile, type RoutePattern } from "./route-pattern.ts";

/** Longest wait for a settlement while the buyer's request is open. */
export const settleWaitMs = 20_000;
/** Room for clocks that differ and for one slow block. */
const budgetMarginMs = 15_000;

/**
 * Returns the times of which the validity of a route's signature consists: at the upstream before
 * the money moves (0 with `before-upstream`), for the settlement, and the margin.
 */
export function timeBudgetMs(route: RouteConfig): readonly number[] {
  const { timeouts } = route.upstream;
  const workMs = route.stream ? timeouts.headersMs : timeouts.totalMs;
  return [route.settle === "before-upstream" ? 0 : workMs, settleWaitMs, budgetMarginMs];
}

export function findConflicts(config: GatewayConfig): Problem[] {
  const rules = config.routes.flatMap((route) => [
    ...findCovered(config.routes, route),
    ...findAmbiguous(config.routes, route),
    ...findSameIndex(config.routes, route),
  ]);
  return [...rules, ...allRoutes(config).flatMap(findBudget), ...findOpenDefault(config)];
}

function locationOf({ name, index }: RouteConfig, ...key: string[]): Problem["location"] {
  return name === "default" ? ["default", ...key] : ["routes", index, ...key];
}

function label({ name, index }: RouteConfig): string {
  return `routes[${index}] (${name})`;
}

function findCovered(routes: readonly RouteConfig[], route: RouteConfig): Problem[] {
  const earlier = routes.find((one) => one.index < route.index && covers(one, route));
  if (!earlier) return [];
  const message = `is never reached: ${label(earlier)} takes all its requests. Move it up, or remove it`;
  return [{ location: locationOf(route, "match"), message }];
}

/** Of two rules that share requests at different prices, one must be more exact. */
function findAmbiguous(routes: readonly RouteConfig[], route: RouteConfig): Problem[] {
  const duplicate = routes.find(
    (one) =>
      one.index < route.index &&
      !hasSamePrice(one, route) &&
      overlaps(one, route) &&
      !coversPath(one, route) &&
      !coversPath(route, one),
  );
  if (!duplicate) return [];
  const prices = [duplicate, route].map(({ amountUnits }) =>
    amountUnits === undefined ? "free" : `${formatUsdc(amountUnits)} USDC`,
  );
  const message = `shares requests with ${label(duplicate)}, at another price (${prices.join(" and ")}), and neither path is the more exact. Write a rule for what they share, above both`;
  return [{ location: locationOf(route, "match"), message }];
}

/** A rule for a folder takes its index too, so an earlier rule for the folder sells it at its own price. */
function findSameIndex(routes: readonly RouteConfig[], route: RouteConfig): Problem[] {
  const earlier = routes.find(
    (one) =>
      one.index < route.index &&
      !hasSamePrice(one, route) &&
      one.upstream === route.upstream &&
      maySendIndex(one.upstream) &&
      !one.pattern.hasRest &&
      covers({ ...one, pattern: indexOf(one.pattern) }, route),
  );
  if (!earlier) return [];
  const message = `is never reached: ${label(earlier)} takes the folder's ${indexFile} as well, at another price. Move it up, or remove it`;
  return [{ location: locationOf(route, "match"), message }];
}

function indexOf(pattern: RoutePattern): RoutePattern {
  const segment = { kind: "literal", text: indexFile, folded: indexFile } as const;
  return { ...pattern, segments: [...pattern.segments, segment] };
}

function findBudget(route: RouteConfig): Problem[] {
  if (route.amountUnits === undefined) return [];
  const parts = timeBudgetMs(route);
  const neededMs = parts.reduce((sum, one) => sum + one, 0);
  if (neededMs <= route.maxTimeoutSeconds * 1000) return [];
  const sum = parts.map(formatDuration).join(" + ");
  const message = `does not fit the buyer's signature: ${sum} (upstream, settlement, margin) is more than ${route.maxTimeoutSeconds}s. Set maxTimeoutSeconds to ${Math.ceil(neededMs / 1000)} or more, or shorten the timeouts of upstream ${route.upstream.name}`;
  return [{ location: locationOf(route), message }];
}

/** A free default serves everything that no rule names, so paths must not be ambiguous. */
function findOpenDefault({ fallback, routes }: GatewayConfig): Problem[] {
  if (!fallback || fallback.amountUnits !== undefined) return [];
  const upstreams = new Set([...routes, fallback].map(({ upstream }) => upstream));
  const loose = [...upstreams].find(
    ({ paths }) => paths.caseInsensitive || paths.allowEncodedSlash,
  );
  if (!loose || !routes.some(({ amountUnits }) => amountUnits !== undefined)) return [];
  const rule = loose.paths.caseInsensitive ? "caseInsensitive" : "allowEncodedSlash";
  const message = `is free, and upstream ${loose.name} has ${rule}: a paid path in another spelling could be had for nothing. Use default: deny and name the free routes`;
  return [{ location: ["default"], message }];
}
