/**
 * A listing: an endpoint that a seller offers to the public, with the terms he advertises and what
 * checks of it found. The payee is always the account itself, so nobody lists for somebody else.
 * Times are milliseconds since 1970.
 */
import type { Address, ChainId, JsonObject } from "@farthing/protocol";

/**
 * - `pending`: not checked yet with these terms.
 * - `live`: the last check found the endpoint as advertised.
 * - `failing`: one check did not. What was live until then is still shown to the public.
 * - `hidden`: two in a row did not, or the payee changed. One that passes brings it back.
 * - `blocked`: by the operator, until he says otherwise; it is not checked.
 */
export const listingStates = ["pending", "live", "failing", "hidden", "blocked"] as const;
export type ListingState = (typeof listingStates)[number];

/** Methods that an endpoint may be listed with. */
export const listingMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type ListingMethod = (typeof listingMethods)[number];

/** What of an advertised offer is compared with the challenge, in the order it is shown. */
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

/** Something that is not as advertised. */
export interface ListingDifference {
  readonly field: ComparedField;
  readonly advertised: string;
  readonly seen: string;
}

/** Why a check did not find the endpoint as advertised, or why it could not run. */
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

/** A challenge as it was seen, what strangers wrote and all of it bounded. */
export interface SeenChallenge {
  readonly at: number;
  readonly x402Version: 1 | 2;
  /** Its `accepts`, as received; after a check that passed, with what is listed first. */
  readonly accepts: readonly JsonObject[];
  /** Its extension `bazaar` (`info`, `schema`), when it has one that is in order. */
  readonly bazaar: JsonObject | null;
  readonly description: string | null;
  readonly mimeType: string | null;
}

/** What a check came to. `absent` counts neither as passed nor as failed, 429 for a day at most. */
export interface CheckResult {
  readonly verdict: "passed" | "failed" | "absent";
  /** Null when it passed. */
  readonly reason: CheckReason | null;
  /** For the seller: what was found and what to change; empty when it passed. */
  readonly message: string;
  readonly differences: readonly ListingDifference[];
  /** Undefined when no challenge was read. */
  readonly seen: SeenChallenge | undefined;
}

/** What a seller says of an endpoint. */
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
  /** What a check sends, so that the endpoint can quote; also the example for buyers. */
  readonly sample: ListingSample;
}

/** A request that can be quoted. */
export interface ListingSample {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON, with methods that have a body. */
  readonly body?: unknown;
}

/** Where a listing stands with its checks. */
export interface ListingCheck {
  readonly state: ListingState;
  /** The last check that counted; null when there was none. */
  readonly checkedAt: number | null;
  /** The last try, counted or not. */
  readonly triedAt: number | null;
  /** The last check that passed with these terms. */
  readonly passedAt: number | null;
  readonly nextAt: number;
  readonly failures: number;
  readonly reason: CheckReason | null;
  readonly message: string;
  readonly differences: readonly ListingDifference[];
}

/** What was settled for it in the last thirty days. */
export interface ListingStats {
  readonly settlements: number;
  /** USDC base units. */
  readonly units: bigint;
  readonly payers: number;
  readonly lastSettledAt: number | null;
}

/** A listing as stored. */
export interface Listing extends ListingTerms {
  readonly id: string;
  /** Whose it is, and who is paid. */
  readonly account: Address;
  readonly check: ListingCheck;
  readonly seen: SeenChallenge | null;
  readonly stats: ListingStats;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Consecutive failures that hide a listing: one may be a restart of the seller's server. */
const failuresToHide = 2;

/** After one failure the second look comes soon: what is wrong is not shown for long. */
const secondLookMs = 10 * 60_000;

/** Pause before a check that could not run is tried again. */
const absentRetryMs = 10 * 60_000;

/** An endpoint that puts checks off (429) for longer than this has failed them. */
const putOffMaxMs = 24 * 60 * 60_000;

/** What is hidden is looked at less and less, down to once a day. */
const hiddenPauseMaxMs = 24 * 60 * 60_000;

/** Part of a pause by which it may be shorter or longer, so that checks do not come in waves. */
const jitterShare = 0.1;

/** How checks are spread in time. */
export interface CheckRhythm {
  /** Pause between checks of a listing that is live. */
  readonly everyMs: number;
  /** From 0 to 1, anew each time. */
  readonly random: () => number;
}

/** Whether the public sees a listing. */
export function isPublic({ state, passedAt }: Pick<ListingCheck, "state" | "passedAt">): boolean {
  return state === "live" || (state === "failing" && passedAt !== null);
}

/** Where a listing stands after a check. */
export function afterCheck(
  before: ListingCheck,
  result: CheckResult,
  now: number,
  rhythm: CheckRhythm,
): ListingCheck {
  const { verdict, reason, message, differences } = result;
  if (before.state === "blocked") return before;
  if (verdict === "absent" && !isPutOffTooLong(before, reason, now)) {
    // 429 asks for fewer requests, not for more of them.
    const pauseMs = Math.min(reason === "rate_limited" ? Infinity : absentRetryMs, rhythm.everyMs);
    return { ...before, triedAt: now, nextAt: spread(now, pauseMs, rhythm) };
  }
  const checked = { checkedAt: now, triedAt: now, reason, message, differences };
  if (verdict === "passed") {
    const nextAt = spread(now, rhythm.everyMs, rhythm);
    return { ...checked, state: "live", passedAt: now, failures: 0, nextAt };
  }
  const isOtherPayee = differences.some(({ field }) => field === "payTo");
  const failures = Math.max(before.failures + 1, isOtherPayee ? failuresToHide : 0);
  const isHidden = failures >= failuresToHide;
  const pauseMs = isHidden
    ? Math.min(hiddenPauseMaxMs, rhythm.everyMs * 2 ** (failures - failuresToHide))
    : Math.min(secondLookMs, rhythm.everyMs);
  return {
    ...checked,
    state: isHidden ? "hidden" : "failing",
    passedAt: before.passedAt,
    failures,
    nextAt: spread(now, pauseMs, rhythm),
  };
}

/** Otherwise an endpoint that has passed once could stay listed by answering checks with 429. */
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

/** Which of the public listings are wanted; all when nothing is said. */
export interface ListingFilter {
  readonly payTo?: Address | undefined;
  readonly chainId?: ChainId | undefined;
  /** Those whose challenge has the extension `bazaar`. */
  readonly hasBazaar?: boolean | undefined;
}

/** What was sold at a price, of which listings show the figures. */
export interface SalesStore {
  /**
   * Forgets what was sold before the day of a time (Unix milliseconds), at most `limit` rows of a
   * kind; returns how many rows there were of the kind that had more.
   */
  forgetSales(before: number, limit: number): Promise<number>;
  /** What was settled with an account's keys, at this price, since the day of a time. */
  readListingStats(account: Address, price: ListingPrice, since: number): Promise<ListingStats>;
}

/** The price of a listing. */
export interface ListingPrice {
  readonly chainId: ChainId;
  readonly amount: bigint;
}
