/** What is kept about listings, as verbs; see store.ts for what all verbs promise. */
import type { Address, ChainId } from "@farthing/protocol";
import type {
  Listing,
  ListingCheck,
  ListingMethod,
  ListingStats,
  ListingTerms,
  SeenChallenge,
} from "./model.ts";

/** A listing that is ours to check: nobody else does until the lease ends. */
export interface TakenListing {
  readonly listing: Listing;
  /** To be named when the check is recorded: it counts only while this is the latest. */
  readonly fence: number;
}

/** Which of the public listings are wanted; all when nothing is said. */
export interface ListingFilter {
  readonly payTo?: Address | undefined;
  readonly chainId?: ChainId | undefined;
  /** Those whose challenge has the extension `bazaar`. */
  readonly hasBazaar?: boolean | undefined;
}

/** Verbs about listings. */
export interface ListingVerbs {
  /**
   * Stores a listing of an account, which is made when it is new. `taken`: the account has one of
   * this endpoint on this network. `too_many`: it has `listingsMax`.
   */
  createListing(
    listing: ListingTerms & Pick<Listing, "id" | "account" | "createdAt">,
    bounds: { readonly listingsMax: number },
  ): Promise<"created" | "taken" | "too_many">;
  /**
   * Puts other terms in place of a listing's. Where they are what checks are about, it is checked
   * anew, at once, and a check under way does not count; a blocked one stays blocked.
   */
  changeListing(
    account: Address,
    id: string,
    terms: ListingTerms,
    now: number,
  ): Promise<Listing | "taken" | undefined>;
  /** False when there is none. */
  removeListing(account: Address, id: string): Promise<boolean>;
  /** Of this account only, when one is given. */
  findListing(id: string, account?: Address): Promise<Listing | undefined>;
  /** Oldest first. */
  listListings(account: Address): Promise<Listing[]>;
  /** The listing of an endpoint, whatever its state; the one with a live check when there are two. */
  findListingOf(
    account: Address,
    endpoint: { readonly resource: string; readonly method?: ListingMethod | undefined },
  ): Promise<Listing | undefined>;
  /** Blocks a listing, or lets it be checked again; undefined when there is none. */
  blockListing(id: string, isBlocked: boolean, now: number): Promise<Listing | undefined>;

  /** Takes listings whose check is due; until `leaseMs` later nobody else takes them. */
  takeDueListings(options: {
    readonly now: number;
    readonly leaseMs: number;
    readonly limit: number;
    /** Hosts that have enough to answer. */
    readonly exceptHosts?: readonly string[];
  }): Promise<TakenListing[]>;
  /** Takes one, due or not. `busy`: it is being checked, or it is blocked. */
  takeListing(
    account: Address,
    id: string,
    times: { readonly now: number; readonly leaseMs: number },
  ): Promise<TakenListing | "busy" | undefined>;
  /**
   * Records where a listing stands after a check, and lets go of it. Gives it as it is now;
   * undefined when it was changed, removed, or taken by somebody else meanwhile.
   */
  recordListingCheck(
    id: string,
    fence: number,
    after: {
      readonly check: ListingCheck;
      /** Left as it is when undefined. */
      readonly seen: SeenChallenge | undefined;
      readonly stats: ListingStats;
    },
  ): Promise<Listing | undefined>;
  /**
   * Forgets what was sold before the day of a time (Unix milliseconds), at most `limit` rows of a
   * kind; returns how many rows there were of the kind that had more.
   */
  forgetSales(before: number, limit: number): Promise<number>;
  /** What was settled with an account's keys, at this price, since the day of a time. */
  readListingStats(
    account: Address,
    price: { readonly chainId: ChainId; readonly amount: bigint },
    since: number,
  ): Promise<ListingStats>;

  /** Those that the public sees, the newest first, and how many there are in all, up to 10,000. */
  listPublicListings(
    filter: ListingFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly Listing[]; readonly total: number }>;
  /** Those with at least one of the words, which are in lower case; what is bought most first. */
  searchPublicListings(
    words: readonly string[],
    filter: ListingFilter,
    limit: number,
  ): Promise<Listing[]>;
}
