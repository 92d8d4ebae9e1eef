/** Converts listings between rows and the model. */
import { isObject } from "@farthing/protocol";
import { addressOf, type Listing, type ListingCheck, type ListingTerms } from "./model.ts";
import { checkColumns, ownColumns, statColumns, termColumns, type ListingRow } from "./tables.ts";

export function toListing(row: ListingRow): Listing {
  return {
    ...ownColumns.read(row),
    ...termColumns.read(row),
    resource: row.resource.replace(/#.*$/, ""),
    check: checkColumns.read(row),
    stats: statColumns.read(row),
  };
}

export function toTermsRow(terms: ListingTerms) {
  const { resource, title, description, tags, sample } = terms;
  const words = [title, description, ...tags, resource, sample.tool?.name ?? ""];
  return {
    ...termColumns.write({ ...terms, resource: addressOf(terms) }),
    host: new URL(resource).host,
    search_text: words.join("\n").trimEnd().toLowerCase(),
  };
}

/** Returns whether the result of a check of one listing applies to the other. */
export function isCheckedAlike(one: ListingTerms, other: ListingTerms): boolean {
  return checkedPart(one) === checkedPart(other);
}

function checkedPart({ resource, method, chainId, amount, sample }: ListingTerms): string {
  return JSON.stringify([resource, method, chainId, amount.toString(), sorted(sample)]);
}

/** Returns the value with the members of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, sorted(one)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function uncheckedAt(now: number): ListingCheck {
  const never = { checkedAt: null, triedAt: null, passedAt: null };
  const nothing = { failures: 0, reason: null, message: "", differences: [], days: null };
  return { state: "pending", ...never, nextAt: now, ...nothing };
}
