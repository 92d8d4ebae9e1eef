/**
 * A listing: an endpoint that a seller offers to the public, with advertised terms and the results
 * of checks. The payee is always the listing account. Times are milliseconds since 1970.
 */
import type { Address, ChainId, JsonObject } from "@farthing/protocol";

/**
 * - `pending`: these terms have not been checked yet.
 * - `live`: the last check found the advertised terms.
 * - `failing`: one check failed. A listing that was live until then stays public.
 * - `hidden`: two checks in a row failed, or the payee changed. A check that passes makes it live.
 * - `blocked`: by the operator; it is not checked.
 */
export const listingStates = ["pending", "live", "failing", "hidden", "blocked"] as const;
export type ListingState = (typeof listingStates)[number];

export const listingMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type ListingMethod = (typeof listingMethods)[number];

/** The compared fields, in the order in which they are shown. */
export const comparedFields = [
  "scheme",
  "network",
  "asset",
  "payTo",
  "amount",
  "resourceHost",
  "entry",
] as const;
export type ComparedField = (typeof comparedFields)[number];

export interface ListingDifference {
  readonly field: ComparedField;
  readonly advertised: string;
  readonly seen: string;
}

/** Why a check failed or could not run. */
export const checkReasons = [
  "unreachable",
  "redirected",
  "not_found",
  "method_not_allowed",
  "validates_first",
  "served_unpaid",
  "server_error",
  "no_challenge",
  "unreadable_challenge",
  "terms_differ",
  "rate_limited",
  "could_not_run",
] as const;
export type CheckReason = (typeof checkReasons)[number];

/** The challenge of a third party; every part is bounded. */
export interface SeenChallenge {
  readonly at: number;
  readonly x402Version: 1 | 2;
  /** Its `accepts` as received; after a check that passed, the listed offer comes first. */
  readonly accepts: readonly JsonObject[];
  /** Its extension `bazaar` (`info`, `schema`), when it has a valid one. */
  readonly bazaar: JsonObject | null;
  readonly description: string | null;
  readonly mimeType: string | null;
}

/** The result of a check. `absent` counts as neither passed nor failed; for 429 a day at most. */
export interface CheckResult {
  readonly outcome: "passed" | "failed" | "absent";
  /** Null when it passed. */
  readonly reason: CheckReason | null;
  /** For the seller: the finding and what to change; empty when it passed. */
  readonly message: string;
  readonly differences: readonly ListingDifference[];
  /** Undefined when no challenge was read. */
  readonly seen: SeenChallenge | undefined;
}

/** The terms that a seller advertises. */
export interface ListingTerms {
  /** Canonical: https, no query, no fragment. */
  readonly resource: string;
  readonly method: ListingMethod;
  readonly chainId: ChainId;
  /** USDC base units. */
  readonly amount: bigint;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly mimeType: string | null;
  /** The request of a check, and the example for buyers. */
  readonly sample: ListingSample;
}

/** A request that the endpoint can quote. */
export interface ListingSample {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON with methods that have a body. */
  readonly body?: unknown;
  /** The resource is an MCP server (streamable HTTP), and this call of it is what is sold. */
  readonly tool?: ListedTool;
}

export interface ListedTool {
  readonly name: string;
  /** Arguments of a call that can be quoted. */
  readonly arguments?: JsonObject;
}

/**
 * The address under which a listing is stored. The tools of one server share its address, so a
 * fragment, which no resource has, tells them apart.
 */
export function addressOf({ resource, sample }: Pick<ListingTerms, "resource" | "sample">): string {
  return sample.tool ? `${resource}#${encodeURIComponent(sample.tool.name)}` : resource;
}

/** The address of the sample request, for checks and for buyers. */
export function sampleUrlOf({
  resource,
  sample,
}: Pick<ListingTerms, "resource" | "sample">): string {
  const url = new URL(resource);
  for (const [name, value] of Object.entries(sample.query ?? {})) url.searchParams.set(name, value);
  return url.href;
}

/** The catalogue's types of resources. */
export const listingTypes = ["http", "mcp"] as const;
export type ListingType = (typeof listingTypes)[number];

export interface ListingCheck {
  readonly state: ListingState;
  /** The last check that counted; null when there was none. */
  readonly checkedAt: number | null;
  /** The last attempt, counted or not. */
  readonly triedAt: number | null;
  /** The last check that passed with these terms. */
  readonly passedAt: number | null;
  readonly nextAt: number;
  readonly failures: number;
  readonly reason: CheckReason | null;
  readonly message: string;
  readonly differences: readonly ListingDifference[];
  /** The counted checks of the last days with these terms, the oldest first; null for none. */
  readonly days: readonly CheckDay[] | null;
}

/** Checks of one day that counted. */
export interface CheckDay {
  /** Days since 1970. */
  readonly day: number;
  readonly passed: number;
  readonly failed: number;
}

/** Sales of the last thirty days. */
export interface ListingStats {
  readonly settlements: number;
  /** USDC base units. */
  readonly units: bigint;
  readonly payers: number;
  readonly lastSettledAt: number | null;
}

export interface Listing extends ListingTerms {
  readonly id: string;
  /** The owner and payee. */
  readonly account: Address;
  readonly check: ListingCheck;
  readonly seen: SeenChallenge | null;
  readonly stats: ListingStats;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Consecutive failures that hide a listing: one may be a restart of the seller's server. */
const failuresToHide = 2;

/** After one failure the next check comes soon, so that wrong terms are not shown for long. */
const secondCheckMs = 10 * 60_000;

/** Pause before a check that could not run is repeated. */
const absentRetryMs = 10 * 60_000;

/** An endpoint that responds 429 for longer than this fails its check. */
const putOffMaxMs = 24 * 60 * 60_000;

/** Hidden listings are checked ever more rarely, down to once a day. */
const hiddenPauseMaxMs = 24 * 60 * 60_000;

/** Random variation of a pause, which spreads checks in time. */
const jitterShare = 0.1;

export interface CheckRhythm {
  /** Pause between checks of a live listing. */
  readonly everyMs: number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

export function isPublic({ state, passedAt }: Pick<ListingCheck, "state" | "passedAt">): boolean {
  return state === "live" || (state === "failing" && passedAt !== null);
}

/** Returns the state of a listing after a check. */
export function afterCheck(
  before: ListingCheck,
  result: CheckResult,
  now: number,
  rhythm: CheckRhythm,
): ListingCheck {
  const { outcome, reason, message, differences } = result;
  if (before.state === "blocked") return before;
  if (outcome === "absent" && !isPutOffTooLong(before, reason, now)) {
    // 429 asks for fewer requests.
    const pauseMs = Math.min(reason === "rate_limited" ? Infinity : absentRetryMs, rhythm.everyMs);
    return { ...before, triedAt: now, nextAt: spread(now, pauseMs, rhythm) };
  }
  const days = countCheck(before.days ?? [], outcome === "passed", now);
  const checked = { checkedAt: now, triedAt: now, reason, message, differences, days };
  if (outcome === "passed") {
    const nextAt = spread(now, rhythm.everyMs, rhythm);
    return { ...checked, state: "live", passedAt: now, failures: 0, nextAt };
  }
  const isOtherPayee = differences.some(({ field }) => field === "payTo");
  const failures = Math.max(before.failures + 1, isOtherPayee ? failuresToHide : 0);
  const isHidden = failures >= failuresToHide;
  const pauseMs = isHidden
    ? Math.min(hiddenPauseMaxMs, rhythm.everyMs * 2 ** (failures - failuresToHide))
    : Math.min(secondCheckMs, rhythm.everyMs);
  return {
    ...checked,
    state: isHidden ? "hidden" : "failing",
    passedAt: before.passedAt,
    failures,
    nextAt: spread(now, pauseMs, rhythm),
  };
}

const dayMs = 24 * 60 * 60_000;

/** Days of checks that a listing keeps, the current one included. */
export const checkDaysMax = 30;

function countCheck(days: readonly CheckDay[], isPassed: boolean, now: number): CheckDay[] {
  const day = Math.floor(now / dayMs);
  const today = days.find((one) => one.day === day) ?? { day, passed: 0, failed: 0 };
  const { passed, failed } = today;
  const counted = isPassed
    ? { day, passed: passed + 1, failed }
    : { day, passed, failed: failed + 1 };
  const earlier = days.filter((one) => one.day < day && one.day > day - checkDaysMax);
  return [...earlier, counted];
}

/** The checks of the last days; those of a listing that is no longer checked stay as they were. */
export function sumChecks({ days }: Pick<ListingCheck, "days">) {
  return (days ?? []).reduce(
    (sum, { passed, failed }) => ({ passed: sum.passed + passed, all: sum.all + passed + failed }),
    { passed: 0, all: 0 },
  );
}

/** Otherwise an endpoint that passed once could stay listed by answering checks with 429. */
function isPutOffTooLong(
  { checkedAt }: ListingCheck,
  reason: CheckReason | null,
  now: number,
): boolean {
  return reason === "rate_limited" && checkedAt !== null && now - checkedAt > putOffMaxMs;
}

function spread(now: number, pauseMs: number, { random }: CheckRhythm): number {
  return now + Math.round(pauseMs * (1 + jitterShare * (2 * random() - 1)));
}

/** An empty filter selects all public listings. */
export interface ListingFilter {
  readonly payTo?: Address | undefined;
  readonly chainId?: ChainId | undefined;
  readonly type?: ListingType | undefined;
  /** Selects listings whose challenge has the extension `bazaar`. */
  readonly hasBazaar?: boolean | undefined;
}

/** A search reads a bounded number of candidates, so it can also compare their prices. */
export interface SearchFilter extends ListingFilter {
  /** USDC base units. */
  readonly maxUnits?: bigint | undefined;
}

/** A page of a counted list. */
export interface PageNumbers {
  readonly limit: number;
  readonly offset: number;
}

/** Sales at a price, for the figures of listings. */
export interface SalesStore {
  /** Removes sales before the day of a time, at most `limit` rows of a kind; returns how many. */
  forgetSales(before: number, limit: number): Promise<number>;
  /** Settlements with an account's keys at this price since the day of a time. */
  readListingStats(account: Address, price: ListingPrice, since: number): Promise<ListingStats>;
}

export interface ListingPrice {
  readonly chainId: ChainId;
  readonly amount: bigint;
}
