/** Converts listings between rows and the model. */
import { isObject } from "@farthing/protocol";
import type {
  Listing,
  ListingCheck,
  ListingDifference,
  ListingSample,
  ListingTerms,
  SeenChallenge,
} from "./model.ts";
import type { ListingRow } from "./tables.ts";
import { address, numberOrNull } from "@farthing/engine/storage";

export function toListing(row: ListingRow): Listing {
  const tags: string[] = JSON.parse(row.tags);
  const sample: ListingSample = JSON.parse(row.sample);
  const differences: ListingDifference[] = JSON.parse(row.differences);
  const seen: SeenChallenge | null = row.seen === null ? null : JSON.parse(row.seen);
  return {
    id: row.id,
    account: address(row.account),
    resource: row.resource,
    method: row.method,
    chainId: row.chain_id,
    amount: BigInt(row.amount),
    title: row.title,
    description: row.description,
    tags,
    mimeType: row.mime_type,
    sample,
    check: {
      state: row.state,
      checkedAt: numberOrNull(row.checked_at),
      triedAt: numberOrNull(row.tried_at),
      passedAt: numberOrNull(row.passed_at),
      nextAt: Number(row.next_at),
      failures: row.failures,
      reason: row.reason,
      message: row.message,
      differences,
    },
    seen,
    stats: {
      settlements: Number(row.settlements_30d),
      units: BigInt(row.units_30d),
      payers: Number(row.payers_30d),
      lastSettledAt: numberOrNull(row.last_settled_at),
    },
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

export function toTermsRow(terms: ListingTerms) {
  const { resource, title, description, tags } = terms;
  return {
    resource,
    host: new URL(resource).host,
    method: terms.method,
    chain_id: terms.chainId,
    amount: terms.amount.toString(),
    title,
    description,
    tags: JSON.stringify(tags),
    mime_type: terms.mimeType,
    sample: JSON.stringify(terms.sample),
    search_text: [title, description, ...tags, resource].join("\n").toLowerCase(),
  };
}

export function toCheckRow(check: ListingCheck) {
  return {
    state: check.state,
    checked_at: check.checkedAt,
    tried_at: check.triedAt,
    passed_at: check.passedAt,
    next_at: check.nextAt,
    failures: check.failures,
    reason: check.reason,
    message: check.message,
    differences: JSON.stringify(check.differences),
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
  const nothing = { failures: 0, reason: null, message: "", differences: [] };
  return { state: "pending", ...never, nextAt: now, ...nothing };
}
