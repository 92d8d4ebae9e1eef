/** Listings of accounts: created, changed, removed and checked again by their owner. */
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

/** Listings of one account: more than an API has prices, and each is checked for ever. */
export const listingsMax = 50;

/** Listings that a search puts into order. */
const searchedMax = 200;

/** What a check without a listing is about. */
export interface TrialTarget {
  readonly resource: string;
  readonly method: ListingMethod;
  /** Networks of which any is right. */
  readonly chainIds: readonly ChainId[];
  /** USDC base units; null when any price is right. */
  readonly amount: bigint | null;
  readonly sample: ListingSample;
}

/** What a search found. */
export interface Found {
  readonly items: readonly Listing[];
  /** Where the next page begins; null at the end. */
  readonly next: number | null;
  /** Whether more fit than were put into order. */
  readonly isPartial: boolean;
}

/** The listings. */
export interface Listings {
  list(account: Address): Promise<Listing[]>;
  find(account: Address, id: string): Promise<Listing | undefined>;
  create(account: Address, terms: ListingTerms): Promise<Listing | "taken" | "too_many">;
  change(account: Address, id: string, terms: ListingTerms): Promise<Listing | "taken" | undefined>;
  remove(account: Address, id: string): Promise<boolean>;
  /** Checks one now. `busy`: it is being checked, or blocked. Gives it as it is afterwards. */
  recheck(account: Address, id: string): Promise<Listing | "busy" | undefined>;
  /** Checks an endpoint that is not listed, for an account; nothing is stored. */
  tryOut(account: Address, target: TrialTarget): Promise<CheckStep[]>;
  /** Those that the public sees. */
  page: ListingStore["listPublicListings"];
  /** Those that fit some words, the best first. */
  search(
    question: string,
    filter: ListingFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<Found>;
}

export interface ListingsDeps extends CheckDeps {
  readonly store: ListingStore & SalesStore;
  readonly log: Log;
  /** Told that a listing is due. */
  onDue(): void;
}

/** Creates the listings of a store. */
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
      // Changed meanwhile: the next check takes it as it is now.
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
