/** What every store promises about listings: whose they are, who checks them, what the public sees. */
import { apothem, xdc, type Address } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import type {
  ListingCheck,
  ListingTerms,
  SeenChallenge,
} from "../../src/features/listings/model.ts";
import { uncheckedAt } from "../../src/features/listings/rows.ts";
import { storeForEach, type StoreAt } from "./store-benches.testing.ts";
import { chainId, claimOf, minedIn, next, type StoreBench } from "./store-values.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

const seller: Address = `0x${"33".repeat(20)}`;
const other: Address = `0x${"44".repeat(20)}`;

/** The tests, on databases that `start` makes. */
export function listingsSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);

  describe("listings of a seller", () => ownerTests(at));
  describe("checks of listings", () => checkTests(at));
  describe("the public's listings", () => publicTests(at));
}

function termsOf(changes: Partial<ListingTerms> = {}): ListingTerms {
  return {
    resource: `https://shop.example/r${next()}`,
    method: "GET",
    chainId,
    amount: 10_000n,
    title: "Weather",
    description: "Of a city",
    tags: ["weather"],
    mimeType: null,
    sample: {},
    ...changes,
  };
}

/** A listing that is there; gives its id. */
/** When the last listing was made; the first is due with the first look, and so are the others. */
let listedAt = 0;

async function listed(store: ServiceStore, changes: Partial<ListingTerms> = {}, account = seller) {
  const id = `lst_${next()}`;
  const listing = { ...termsOf(changes), id, account, createdAt: ++listedAt };
  expect(await store.createListing(listing, { listingsMax: 50 })).toBe("created");
  return id;
}

const seen: SeenChallenge = {
  at: 1,
  x402Version: 2,
  accepts: [{ scheme: "exact" }],
  bazaar: null,
  description: null,
  mimeType: null,
};

const noStats = { settlements: 0, units: 0n, payers: 0, lastSettledAt: null };

const live = (now: number): ListingCheck => ({
  ...uncheckedAt(now + 1_000),
  state: "live",
  checkedAt: now,
  triedAt: now,
  passedAt: now,
});

/** Brings a listing to a state by a check, as a scheduler does. */
async function checked(
  store: ServiceStore,
  id: string,
  check = live(10),
  what = seen,
  account = seller,
) {
  const taken = await store.takeListing(account, id, { now: 10, leaseMs: 100 });
  if (typeof taken !== "object") throw new Error("not taken");
  const after = { check, seen: what, stats: noStats };
  return store.recordListingCheck(id, taken.fence, after);
}

function ownerTests(at: StoreAt): void {
  test("are kept as they were given, as many as may be, one for each endpoint", async () => {
    const { store } = at();
    const terms = termsOf({
      method: "POST",
      mimeType: "application/json",
      tags: ["a", "b"],
      sample: { query: { city: "Rome" }, body: { deep: [1, null] } },
    });
    const listing = { ...terms, id: "lst_1", account: seller, createdAt: 5 };
    expect(await store.createListing(listing, { listingsMax: 2 })).toBe("created");
    expect(await store.findListing("lst_1")).toEqual({
      ...listing,
      check: uncheckedAt(5),
      seen: null,
      stats: noStats,
      updatedAt: 5,
    });
    const again = { ...listing, id: "lst_2" };
    expect(await store.createListing(again, { listingsMax: 2 })).toBe("taken");
    const elsewhere = { ...again, chainId: xdc.chainId };
    expect(await store.createListing(elsewhere, { listingsMax: 2 })).toBe("created");
    const third = { ...termsOf(), id: "lst_3", account: seller, createdAt: 5 };
    expect(await store.createListing(third, { listingsMax: 2 })).toBe("too_many");
    // The same endpoint may pay another account as well: who is paid is what checks are about.
    const theirs = { ...listing, id: "lst_4", account: other };
    expect(await store.createListing(theirs, { listingsMax: 2 })).toBe("created");
    const own = await store.listListings(seller);
    expect(own.map(({ id }) => id)).toEqual(["lst_1", "lst_2"]);
  });

  test("are nobody else's to see, change or remove", async () => {
    const { store } = at();
    const id = await listed(store);
    expect(await store.findListing(id, other)).toBeUndefined();
    expect(await store.changeListing(other, id, termsOf(), 9)).toBeUndefined();
    expect(await store.takeListing(other, id, { now: 9, leaseMs: 1 })).toBeUndefined();
    expect(await store.removeListing(other, id)).toBe(false);
    expect(await store.removeListing(seller, id)).toBe(true);
    expect(await store.removeListing(seller, id)).toBe(false);
    expect(await store.findListing(id)).toBeUndefined();
  });

  test("are checked anew when what is checked changes, and only then", async () => {
    const { store } = at();
    const terms = termsOf({ sample: { query: { a: "1", b: "2" } } });
    const id = await listed(store, terms);
    await checked(store, id);
    const titled = { ...terms, title: "Forecast", sample: { query: { b: "2", a: "1" } } };
    expect(await store.changeListing(seller, id, titled, 20)).toMatchObject({
      title: "Forecast",
      check: live(10),
      seen,
      updatedAt: 20,
    });
    const dearer = { ...titled, amount: 20_000n };
    expect(await store.changeListing(seller, id, dearer, 30)).toMatchObject({
      amount: 20_000n,
      check: uncheckedAt(30),
      seen: null,
    });
    const taken = await listed(store);
    const { resource, method } = (await store.findListing(taken)) ?? terms;
    const clash = { ...dearer, resource, method };
    expect(await store.changeListing(seller, id, clash, 40)).toBe("taken");
  });

  test("are found by what a payment names, the live one first", async () => {
    const { store } = at();
    const resource = "https://shop.example/two";
    await listed(store, { resource });
    const id = await listed(store, { resource, method: "POST" });
    await checked(store, id);
    expect(await store.findListingOf(seller, { resource })).toMatchObject({ id });
    expect(await store.findListingOf(seller, { resource, method: "GET" })).toMatchObject({
      method: "GET",
    });
    expect(await store.findListingOf(other, { resource })).toBeUndefined();
  });

  test("are blocked until the operator lets them go on, whatever their owner does", async () => {
    const { store } = at();
    const id = await listed(store);
    await checked(store, id);
    expect(await store.blockListing(id, false, 20)).toBeUndefined();
    expect(await store.blockListing(id, true, 20)).toMatchObject({ check: { state: "blocked" } });
    expect(await store.takeListing(seller, id, { now: 9_999, leaseMs: 1 })).toBe("busy");
    expect(await store.takeDueListings({ now: 9_999, leaseMs: 1, limit: 9 })).toEqual([]);
    const moved = await store.changeListing(seller, id, termsOf(), 30);
    expect(moved).toMatchObject({ check: { state: "blocked" } });
    expect(await store.blockListing(id, false, 40)).toMatchObject({ check: uncheckedAt(40) });
    expect(await store.blockListing("lst_none", true, 40)).toBeUndefined();
  });
}

const take = (store: ServiceStore, now: number) =>
  store.takeDueListings({ now, leaseMs: 100, limit: 10 });

function checkTests(at: StoreAt): void {
  test("are taken by one at a time, and by the next one when their end is not recorded", async () => {
    const { bench, store } = at();
    const second = bench.isConcurrent ? await bench.open() : store;
    const ids = [await listed(store), await listed(store), await listed(store)];
    expect(await take(store, 0)).toEqual([]);
    const taken = (await Promise.all([take(store, 1_000), take(second, 1_000)])).flat();
    expect(taken.map(({ listing }) => listing.id).toSorted()).toEqual(ids.toSorted());
    expect(await store.takeListing(seller, ids[0] ?? "", { now: 1_099, leaseMs: 1 })).toBe("busy");
    expect(await take(second, 1_099)).toEqual([]);
    const again = await take(second, 1_100);
    expect(again).toHaveLength(3);
    // Who was too slow does not put his finding over that of the next one.
    const after = { check: live(10), seen, stats: noStats };
    for (const { listing, fence } of taken) {
      expect(await store.recordListingCheck(listing.id, fence, after)).toBeUndefined();
    }
    for (const { listing, fence } of again) {
      const recorded = await second.recordListingCheck(listing.id, fence, after);
      expect(recorded).toMatchObject({ check: live(10), seen });
    }
    if (second !== store) await second.close();
  });

  test("leave hosts alone that have enough to answer, and do not hold up others", async () => {
    const { store } = at();
    for (let count = 0; count < 3; count++) await listed(store);
    const id = await listed(store, { resource: "https://other.example:8443/x" });
    const options = { now: 9_999, leaseMs: 100, limit: 2, exceptHosts: ["shop.example"] };
    const taken = await store.takeDueListings(options);
    expect(taken.map(({ listing }) => listing.id)).toEqual([id]);
  });

  test("do not count for terms that were changed meanwhile", async () => {
    const { store } = at();
    const id = await listed(store);
    const taken = await store.takeListing(seller, id, { now: 10, leaseMs: 100 });
    if (typeof taken !== "object") throw new Error("not taken");
    await store.changeListing(seller, id, termsOf(), 11);
    const after = { check: live(10), seen, stats: noStats };
    expect(await store.recordListingCheck(id, taken.fence, after)).toBeUndefined();
    expect(await store.findListing(id)).toMatchObject({ check: uncheckedAt(11) });
    // And the new terms are due at once, though the old check is still under way.
    expect(await store.takeDueListings({ now: 11, leaseMs: 1, limit: 5 })).toHaveLength(1);
  });

  test("keep the challenge that was seen before when they saw none", async () => {
    const { store } = at();
    const id = await listed(store);
    await checked(store, id);
    const taken = await store.takeListing(seller, id, { now: 200, leaseMs: 100 });
    if (typeof taken !== "object") throw new Error("not taken");
    const failing: ListingCheck = {
      ...live(10),
      state: "failing",
      failures: 1,
      reason: "terms_differ",
      message: "m",
      differences: [{ field: "amount", advertised: "1", seen: "2" }],
    };
    const after = { check: failing, seen: undefined, stats: { ...noStats, units: 7n } };
    const recorded = await store.recordListingCheck(id, taken.fence, after);
    expect(recorded).toMatchObject({ check: failing, seen, stats: { units: 7n } });
  });

  test("count what was settled at the price, with the account's keys, and confirmed", async () => {
    const { store } = at();
    await store.ensureAccount(seller, 1);
    const claims = [
      claimOf({ account: seller }),
      claimOf({ account: seller }),
      claimOf({ account: seller, amount: 11n }),
      claimOf(),
    ];
    const day = 24 * 60 * 60 * 1000;
    await store.claimSettlements(claims, day + 1_000);
    await store.claimSettlements([claimOf({ account: seller })], day + 1_000);
    await store.recordConfirmed(
      claims.map(({ id }) => ({ id, mined: minedIn(5) })),
      2_000,
    );
    const price = { chainId, amount: 10n };
    // From the day of a time on.
    expect(await store.readListingStats(seller, price, day + 2_000)).toEqual({
      settlements: 2,
      units: 20n,
      payers: 1,
      lastSettledAt: 2_000,
    });
    expect(await store.readListingStats(seller, price, 2 * day)).toEqual(noStats);
  });
}

function publicTests(at: StoreAt): void {
  test("are those that are live, or failed once after they were", async () => {
    const { store } = at();
    const once = { failures: 1, state: "failing" } as const;
    const ids = [await listed(store), await listed(store)];
    const [up, down] = ids.map(String);
    await checked(store, up ?? "");
    await checked(store, down ?? "", { ...live(10), ...once });
    await listed(store);
    const never = await listed(store);
    await checked(store, never, { ...live(10), ...once, passedAt: null });
    const hidden = await listed(store);
    await checked(store, hidden, { ...live(10), state: "hidden" });
    const page = { limit: 10, offset: 0 };
    const { items, total } = await store.listPublicListings({}, page);
    expect([items.map(({ id }) => id), total]).toEqual([[down, up], 2]);
    const second = await store.listPublicListings({}, { limit: 1, offset: 1 });
    expect([second.items.map(({ id }) => id), second.total]).toEqual([[up], 2]);
  });

  test("are filtered by payee, network, extension and price; with the days of their checks", async () => {
    const { store } = at();
    const bazaar = { ...seen, bazaar: { info: {}, schema: {} } };
    const [plain, rich, theirs] = [
      await listed(store),
      await listed(store, { chainId: xdc.chainId, amount: 9_000n }),
      await listed(store, {}, other),
    ];
    await checked(store, plain);
    const days = [{ day: 3, passed: 5, failed: 1 }];
    await checked(store, rich, { ...live(10), days }, bazaar);
    await checked(store, theirs, live(10), seen, other);
    const idsOf = async (filter: Parameters<ServiceStore["listPublicListings"]>[0]) => {
      const { items, total } = await store.listPublicListings(filter, { limit: 9, offset: 0 });
      expect(total).toBe(items.length);
      return items.map(({ id }) => id);
    };
    expect(await idsOf({ payTo: other })).toEqual([theirs]);
    expect(await idsOf({ chainId: xdc.chainId })).toEqual([rich]);
    expect(await idsOf({ chainId: apothem.chainId, payTo: seller })).toEqual([plain]);
    expect(await idsOf({ hasBazaar: true })).toEqual([rich]);
    // As a text, 9000 is more than 10000.
    const cheap = await store.searchPublicListings([], { maxUnits: 9_999n }, 9);
    expect(cheap.map(({ id, check }) => [id, check.days])).toEqual([[rich, days]]);
    expect(await store.searchPublicListings([], { maxUnits: 10_000n }, 9)).toHaveLength(3);
  });

  test("are filtered by type; the tools of one server are listings of their own", async () => {
    const { store } = at();
    const server = { resource: "https://tools.example/mcp", method: "POST" as const };
    const tool = (name: string) => ({ ...server, sample: { tool: { name } } });
    const endpoint = await listed(store, server);
    const tools = [await listed(store, tool("forecast")), await listed(store, tool("50 % & #1"))];
    for (const id of [endpoint, ...tools]) await checked(store, id);
    const page = { limit: 9, offset: 0 };
    const found = await store.listPublicListings({ type: "mcp" }, page);
    expect([found.items.map(({ id }) => id), found.total]).toEqual([tools.toReversed(), 2]);
    expect(found.items.map(({ resource }) => resource)).toEqual([server.resource, server.resource]);
    const others = await store.listPublicListings({ type: "http" }, page);
    expect(others.items.map(({ id }) => id)).toEqual([endpoint]);
    const [byName] = await store.searchPublicListings(["forecast"], { type: "mcp" }, 9);
    expect(byName?.id).toBe(tools[0]);
    expect((await store.findListingOf(seller, server))?.id).toBe(endpoint);
    const again = { ...termsOf(tool("forecast")), id: "lst_again", account: seller, createdAt: 5 };
    expect(await store.createListing(again, { listingsMax: 50 })).toBe("taken");
  });

  test("are not those of an account that cannot settle", async () => {
    const { store } = at();
    const id = await listed(store);
    await checked(store, id);
    const count = async () =>
      (await store.listPublicListings({}, { limit: 1, offset: 0 })).total +
      (await store.searchPublicListings(["weather"], {}, 9)).length;
    expect(await count()).toBe(2);
    await store.setPlan(seller, "inactive");
    expect(await count()).toBe(0);
    await store.setPlan(seller, "active");
    expect(await count()).toBe(2);
  });

  test("are found by how a word begins, however many others are bought more", async () => {
    const { bench, store } = at();
    const id = await listed(store, { title: "Rainfall", tags: [] });
    await checked(store, id);
    const series = bench.isConcurrent
      ? "generate_series(1, 1100) as given(n)"
      : "(with recursive given(n) as (select 1 union all select n + 1 from given where n < 1100) select n from given) as given";
    await bench.query(
      `insert into listings (id, account, resource, host, method, chain_id, amount, title, description, tags, sample, search_text, state, passed_at, next_at, failures, message, differences, seen, lease_until, fence, settlements_30d, units_30d, payers_30d, created_at, updated_at) select 'more_' || n, '${seller}', 'https://more.example/' || n, 'more.example', 'GET', ${chainId}, '1', 'Snow', '', '[]', '{}', 'snow', 'live', 1, 9999999, 0, '', '[]', '{"bazaar":null}', 0, 0, 5, '0', 0, 1, 1 from ${series}`,
    );
    const find = async (word: string) =>
      (await store.searchPublicListings([word], {}, 10)).map((listing) => listing.id);
    expect(await find("rainf")).toEqual([id]);
    expect(await find("snow")).toHaveLength(10);
    // What it is not called any more, and what nobody may see, is not found.
    await store.changeListing(seller, id, termsOf({ title: "Hail", tags: [] }), 20);
    expect(await find("rainf")).toEqual([]);
    expect(await find("hail")).toEqual([]);
    await checked(store, id);
    expect(await find("hai")).toEqual([id]);
    await store.removeListing(seller, id);
    expect(await bench.query("select * from listing_words")).toEqual([]);
  });

  test("are found by any of some words, in title, description, tags and address", async () => {
    const { store } = at();
    const rain = await listed(store, { title: "RAIN radar", description: "100% sure" });
    const wind = await listed(store, { title: "Wind", tags: ["Sailing"] });
    for (const id of [rain, wind]) await checked(store, id);
    await listed(store, { title: "rain, never checked" });
    const find = async (words: string[]) =>
      (await store.searchPublicListings(words, {}, 10)).map(({ id }) => id);
    expect(await find(["rain"])).toEqual([rain]);
    expect(await find(["sailing", "radar"])).toEqual([rain, wind]);
    expect(await find(["shop.example"])).toEqual([rain, wind]);
    expect(await find(["snow", "' or 1=1"])).toEqual([]);
    // One that is listed later does not push the others out.
    await checked(store, await listed(store, { title: "rain", tags: ["wind"] }));
    const found = await store.searchPublicListings(["rain", "wind"], {}, 1);
    expect(found.map(({ id }) => id)).toEqual([rain]);
  });
}
