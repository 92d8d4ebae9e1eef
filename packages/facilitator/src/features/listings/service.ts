/** Listings: created, changed, removed and checked again by their account. */
import { randomBytes } from "node:crypto";
import type { Address } from "@farthing/protocol";
import type { Log } from "@farthing/engine/base";
import type {
  Listing,
  ListingTerms,
  ListingFilter,
  PageNumbers,
  SalesStore,
  SearchFilter,
} from "./model.ts";
import type { ListingStore } from "./store.ts";
import { checkLeaseMs, checkListing, type CheckDeps } from "./check-listing.ts";
import type { ProbeTarget } from "./probe.ts";
import { describeSteps } from "./check-steps.ts";
import { rank, readWords } from "./rank.ts";

/** More prices than an API has; each listing is checked as long as it exists. */
export const listingsMax = 50;

/** The bound of ranked listings in a search. */
const searchedMax = 200;

/** The target of a check without a listing. */
export type TrialTarget = Omit<ProbeTarget, "payTo">;

export interface Found {
  readonly items: readonly Listing[];
  /** Null at the end. */
  readonly next: number | null;
  /** Whether more listings match than were ranked. */
  readonly isPartial: boolean;
}

export type Listings = ReturnType<typeof createListings>;

export interface ListingsDeps extends CheckDeps {
  readonly store: ListingStore & SalesStore;
  readonly log: Log;
  onDue(): void;
}

export function createListings(deps: ListingsDeps) {
  const { store, clock, log, probe } = deps;
  return {
    list: (account: Address) => store.listListings(account),
    find: (account: Address, id: string) => store.findListing(id, account),
    async create(account: Address, terms: ListingTerms) {
      const id = `lst_${randomBytes(12).toString("hex")}`;
      const listing = { ...terms, id, account, createdAt: clock.nowMs() };
      const outcome = await store.createListing(listing, { listingsMax });
      if (outcome !== "created") return outcome;
      log.info({ event: "listing_created", account, listingId: id }, "Listing created");
      deps.onDue();
      return (await store.findListing(id, account)) ?? "taken";
    },
    async change(account: Address, id: string, terms: ListingTerms) {
      const changed = await store.changeListing(account, id, terms, clock.nowMs());
      if (typeof changed === "object") deps.onDue();
      return changed;
    },
    async remove(account: Address, id: string) {
      const isRemoved = await store.removeListing(account, id);
      if (isRemoved)
        log.info({ event: "listing_removed", account, listingId: id }, "Listing removed");
      return isRemoved;
    },
    /** Checks a listing now and returns it. `busy`: it is being checked, or it is blocked. */
    async recheck(account: Address, id: string) {
      const now = clock.nowMs();
      const taken = await store.takeListing(account, id, { now, leaseMs: checkLeaseMs });
      if (typeof taken !== "object") return taken;
      // Changed meanwhile; the next check uses the new terms.
      return (await checkListing(deps, taken)) ?? store.findListing(id, account);
    },
    /** Checks an endpoint for an account and stores nothing. */
    async tryOut(account: Address, target: TrialTarget) {
      return describeSteps(await probe({ ...target, payTo: account }));
    },
    page: (filter: ListingFilter, page: PageNumbers) => store.listPublicListings(filter, page),
    /** Public listings that match the words, the best first. */
    search: async (question: string, filter: SearchFilter, page: PageNumbers) => {
      const words = readWords(question);
      return words.length === 0 ? nothingFound : search(store, words, filter, page);
    },
    /** Public listings, the most bought first. */
    mostBought: (filter: SearchFilter, page: PageNumbers) => search(store, [], filter, page),
  };
}

const nothingFound: Found = { items: [], next: null, isPartial: false };

async function search(
  store: Pick<ListingStore, "searchPublicListings">,
  words: readonly string[],
  filter: SearchFilter,
  { limit, offset }: PageNumbers,
): Promise<Found> {
  const found = await store.searchPublicListings(words, filter, searchedMax + 1);
  const ranked = rank(found.slice(0, searchedMax), words);
  const end = offset + limit;
  return {
    items: ranked.slice(offset, end),
    next: end < ranked.length ? end : null,
    isPartial: found.length > searchedMax,
  };
}
