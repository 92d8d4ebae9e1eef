/**
 * What a channel was charged, by what was sold, as a seller's books have it. A voucher says a total
 * only, so a seller hands these parts over with it: those of the newest charges, the oldest first.
 */
import { parseChannelUnits } from "../channels/channel-messages.ts";
import { defined, isObject, member, type JsonObject } from "../encoding/json.ts";
import { bookedResource, bookedRouteCharsMax, isBookText } from "./books.ts";

export interface SoldNames {
  /** Scheme, host and path; undefined where it is not known, or not kept. */
  readonly resource?: string;
  /** The seller's name of the route. */
  readonly route?: string;
}

export interface SoldPart extends SoldNames {
  /** Base units, above 0. */
  readonly units: bigint;
}

/**
 * Parts of a channel at most. They are handed over once a second, and a seller of one API has fewer
 * routes than that; more of them lose first their addresses and then their routes, never their units.
 */
export const soldPartsMax = 16;

/** Adds a charge after the others. */
export function addSoldPart(parts: readonly SoldPart[], added: SoldPart): readonly SoldPart[] {
  if (added.units === 0n) return parts;
  const last = parts.at(-1);
  if (last && nameOf(last) === nameOf(added)) {
    return [...parts.slice(0, -1), { ...last, units: last.units + added.units }];
  }
  const all = [...parts, added];
  if (all.length <= soldPartsMax) return all;
  const byName = mergeParts(all);
  if (byName.length <= soldPartsMax) return byName;
  const byRoute = mergeParts(all.map(({ route, units }) => ({ ...defined({ route }), units })));
  return byRoute.length <= soldPartsMax ? byRoute : mergeParts(all.map(({ units }) => ({ units })));
}

const nameOf = ({ resource = "", route = "" }: SoldNames) => `${resource} ${route}`;

/** One part for each name, in the order in which the names came first. */
function mergeParts(parts: readonly SoldPart[]): readonly SoldPart[] {
  const merged = new Map<string, SoldPart>();
  for (const part of parts) {
    const before = merged.get(nameOf(part));
    merged.set(nameOf(part), { ...part, units: part.units + (before?.units ?? 0n) });
  }
  return [...merged.values()];
}

/** The newest parts, of so many base units in all; all of them where they are fewer. */
export function newestParts(parts: readonly SoldPart[], units: bigint): readonly SoldPart[] {
  const newest: SoldPart[] = [];
  let left = units;
  for (const part of parts.toReversed()) {
    if (left <= 0n) break;
    newest.push(part.units > left ? { ...part, units: left } : part);
    left -= part.units;
  }
  return newest.toReversed();
}

export function toWireSoldParts(parts: readonly SoldPart[]): readonly JsonObject[] {
  return parts.map(({ resource, route, units }) => ({
    ...defined({ resource, route }),
    units: `${units}`,
  }));
}

/** Returns undefined for anything else than a list that {@link toWireSoldParts} makes. */
export function parseSoldParts(value: unknown): readonly SoldPart[] | undefined {
  if (!Array.isArray(value) || value.length > soldPartsMax) return undefined;
  const parts: SoldPart[] = [];
  for (const one of value) {
    const part = isObject(one) ? parsePart(one) : undefined;
    if (!part) return undefined;
    parts.push(part);
  }
  return parts;
}

function parsePart(value: JsonObject): SoldPart | undefined {
  const [resource, route] = [member(value, "resource"), member(value, "route")];
  const units = parseChannelUnits(member(value, "units"));
  if (units === undefined || units === 0n) return undefined;
  if (resource !== undefined && !isBookedResource(resource)) return undefined;
  if (route !== undefined && !isBookText(route, bookedRouteCharsMax)) return undefined;
  return { ...defined({ resource, route }), units };
}

const isBookedResource = (value: unknown): value is string =>
  typeof value === "string" && bookedResource(value) === value;
