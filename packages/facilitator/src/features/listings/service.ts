/** Listings: created, changed, removed and checked again by their account. */
import { randomBytes } from "node:crypto";
import type { Address, ChainId } from "@farthing/protocol";
import type { Log } from "@farthing/engine/base";
import type {
  Listing,
  ListingMethod,
  ListingSample,
  ListingTerms,
  ListingFilter,
  SalesStore,
} from "./model.ts";
import type { ListingStore } from "./store.ts";
import { checkLeaseMs, checkListing, type CheckDeps } from "./check-listing.ts";
import { tellSteps, type CheckStep } from "./check-steps.ts";
import { rank, readWords } from "./rank.ts";

/** More prices than an API has; each listing is checked as long as it exists. */
export const listingsMax = 50;

/** The bound of ranked listings in a search. */
const searchedMax = 200;

/** The target of a check without a listing. */
export interface TrialTarget {
  readonly resource: string;
  readonly method: ListingMethod;
  /** Any of these matches. */
  readonly chainIds: readonly ChainId[];
  /** USDC base units; null when any price matches. */
  readonly amount: bigint | null;
  readonly sample: ListingSample;
}

export interface Found {
  readonly items: readonly Listing[];
  /** Null at the end. */
  readonly next: number | null;
  /** Whether more listings match than were ranked. */
  readonly isPartial: boolean;
}

export interface Listings {
  list(account: Address): Promise<Listing[]>;
  find(account: Address, id: string): Promise<Listing | undefined>;
  create(account: Address, terms: ListingTerms): Promise<Listing | "taken" | "too_many">;
  change(account: Address, id: string, terms: ListingTerms): Promise<Listing | "taken" | undefined>;
  remove(account: Address, id: string): Promise<boolean>;
  /** Checks a listing now and returns it. `busy`: it is being checked, or it is blocked. */
  recheck(account: Address, id: string): Promise<Listing | "busy" | undefined>;
  /** Checks an endpoint for an account and stores nothing. */
  tryOut(account: Address, target: TrialTarget): Promise<CheckStep[]>;
  page: ListingStore["listPublicListings"];
  /** Public listings that match the words, the best first. */
  search(
    question: string,
    filter: ListingFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<Found>;
}

export interface ListingsDeps extends CheckDeps {
  readonly store: ListingStore & SalesStore;
  readonly log: Log;
  /** Called when a listing is due. */
  onDue(): void;
}

export function createListings(deps: ListingsDeps): Listings {
  const { store, clock, log, probe } = deps;
  return {
    list: (account) => store.listListings(account),
    find: (account, id) => store.findListing(id, account),
    async create(account, terms) {
      const id = `lst_${randomBytes(12).toString("hex")}`;
      const listing = { ...terms, id, account, createdAt: clock.nowMs() };
      const outcome = await store.createListing(listing, { listingsMax });
      if (outcome !== "created") return outcome;
      log.info({ event: "listing_created", account, listingId: id }, "Listing created");
      deps.onDue();
      return (await store.findListing(id, account)) ?? "taken";
    },
    async change(account, id, terms) {
      const changed = await store.changeListing(account, id, terms, clock.nowMs());
      if (typeof changed === "object") deps.onDue();
      return changed;
    },
    async remove(account, id) {
      const isRemoved = await store.removeListing(account, id);
      if (isRemoved)
        log.info({ event: "listing_removed", account, listingId: id }, "Listing removed");
      return isRemoved;
    },
    async recheck(account, id) {
      const now = clock.nowMs();
      const taken = await store.takeListing(account, id, { now, leaseMs: checkLeaseMs });
      if (typeof taken !== "object") return taken;
      // Changed meanwhile; the next check uses the new terms.
      return (await checkListing(deps, taken)) ?? store.findListing(id, account);
    },
    async tryOut(account, target) {
      return tellSteps(await probe({ ...target, payTo: account }));
    },
    page: (filter, page) => store.listPublicListings(filter, page),
    search: (question, filter, page) => search(store, question, filter, page),
  };
}

async function search(
  store: Pick<ListingStore, "searchPublicListings">,
  question: string,
  filter: ListingFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Found> {
  const words = readWords(question);
  if (words.length === 0) return { items: [], next: null, isPartial: false };
  const found = await store.searchPublicListings(words, filter, searchedMax + 1);
  const ranked = rank(found.slice(0, searchedMax), words);
  const end = offset + limit;
  return {
    items: ranked.slice(offset, end),
    next: end < ranked.length ? end : null,
    isPartial: found.length > searchedMax,
  };
}
