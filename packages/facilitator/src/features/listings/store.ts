/** Listings: kept, checked by one process at a time, and found by the public. */
import { toLowerHex, type Address } from "@farthing/protocol";
import { sql } from "kysely";
import type { Listing } from "./model.ts";
import { ensureAccount, lockAccount } from "../accounts/store.ts";
import type { ListingRow } from "../account-tables.ts";
import { type Database, inTransaction } from "@farthing/engine/storage";
import { removeWords, writeWords } from "./word-store.ts";
import { publicVerbs } from "./public-listing-store.ts";
import { isCheckedAlike, toCheckRow, toListing, toTermsRow, uncheckedAt } from "./rows.ts";
import type { ListingVerbs, TakenListing } from "./listing-store.ts";
import { forgetSales, readListingStats } from "../history/usage-store.ts";

/** From here on, what was begun before does not count. */
const nextFence = sql<number>`fence + 1`;

/** The store's verbs about listings. */
export function listingVerbs(database: Database): ListingVerbs {
  return { ...ownerVerbs(database), ...checkVerbs(database), ...publicVerbs(database) };
}

type OwnerVerbs = Pick<
  ListingVerbs,
  | "createListing"
  | "changeListing"
  | "removeListing"
  | "findListing"
  | "listListings"
  | "findListingOf"
  | "blockListing"
>;
type CheckVerbs = Pick<
  ListingVerbs,
  "takeDueListings" | "takeListing" | "recordListingCheck" | "readListingStats" | "forgetSales"
>;

function ownerVerbs(database: Database): OwnerVerbs {
  const { db } = database;
  return {
    createListing: (listing, bounds) =>
      inTransaction(database, (inside) => create(inside, listing, bounds.listingsMax)),
    changeListing: (account, id, terms, now) =>
      inTransaction(database, (inside) => change(inside, account, id, terms, now)),
    removeListing: (account, id) =>
      inTransaction(database, async (inside) => {
        const removed = await inside.db
          .deleteFrom("listings")
          .where("id", "=", id)
          .where("account", "=", toLowerHex(account))
          .executeTakeFirst();
        if (removed.numDeletedRows === 0n) return false;
        await removeWords(inside, id);
        return true;
      }),
    findListing: async (id, account) => {
      let query = db.selectFrom("listings").selectAll().where("id", "=", id);
      if (account) query = query.where("account", "=", toLowerHex(account));
      const row = await query.executeTakeFirst();
      return row && toListing(row);
    },
    listListings: async (account) => {
      const rows = await ofAccount(database, account).execute();
      return rows.map(toListing);
    },
    findListingOf: async (account, { resource, method }) => {
      let query = ofAccount(database, account).where("resource", "=", resource);
      if (method) query = query.where("method", "=", method);
      const rows = await query.execute();
      const found = rows.find(({ state }) => state === "live") ?? rows[0];
      return found && toListing(found);
    },
    blockListing: (id, isBlocked, now) =>
      inTransaction(database, async (inside) => {
        const row = await inside.db
          .updateTable("listings")
          .set({
            ...toCheckRow({ ...uncheckedAt(now), state: isBlocked ? "blocked" : "pending" }),
            fence: nextFence,
            lease_until: 0,
            updated_at: now,
          })
          .where("id", "=", id)
          .where("state", isBlocked ? "<>" : "=", "blocked")
          .returningAll()
          .executeTakeFirst();
        // What is blocked or not checked yet is not found.
        if (row) await removeWords(inside, id);
        return row && toListing(row);
      }),
  };
}

function ofAccount({ db }: Database, account: Address) {
  return db
    .selectFrom("listings")
    .selectAll()
    .where("account", "=", toLowerHex(account))
    .orderBy("created_at")
    .orderBy("id");
}

async function create(
  inside: Database,
  listing: Parameters<ListingVerbs["createListing"]>[0],
  listingsMax: number,
): Promise<"created" | "taken" | "too_many"> {
  const { id, account, createdAt } = listing;
  await ensureAccount(inside, account, createdAt);
  await lockAccount(inside, account);
  const others = await ofAccount(inside, account).execute();
  const terms = toTermsRow(listing);
  if (others.some((row) => isSameEndpoint(row, terms))) return "taken";
  if (others.length >= listingsMax) return "too_many";
  await inside.db
    .insertInto("listings")
    .values({
      id,
      account: toLowerHex(account),
      ...terms,
      ...toCheckRow(uncheckedAt(createdAt)),
      seen: null,
      lease_until: 0,
      fence: 0,
      settlements_30d: 0,
      units_30d: "0",
      payers_30d: 0,
      last_settled_at: null,
      created_at: createdAt,
      updated_at: createdAt,
    })
    .execute();
  return "created";
}

function isSameEndpoint(
  one: Pick<ListingRow, "resource" | "method" | "chain_id">,
  other: Pick<ListingRow, "resource" | "method" | "chain_id">,
): boolean {
  return (
    one.resource === other.resource &&
    one.method === other.method &&
    one.chain_id === other.chain_id
  );
}

async function change(
  inside: Database,
  account: Address,
  id: string,
  terms: Parameters<ListingVerbs["changeListing"]>[2],
  now: number,
): Promise<Listing | "taken" | undefined> {
  await lockAccount(inside, account);
  const rows = await ofAccount(inside, account).execute();
  const before = rows.find((row) => row.id === id);
  if (!before) return undefined;
  const written = toTermsRow(terms);
  if (rows.some((row) => row.id !== id && isSameEndpoint(row, written))) return "taken";
  const isAsBefore = isCheckedAlike(toListing(before), terms);
  const anew = before.state === "blocked" ? ("blocked" as const) : ("pending" as const);
  const row = await inside.db
    .updateTable("listings")
    .set({
      ...written,
      ...(isAsBefore
        ? {}
        : {
            ...toCheckRow({ ...uncheckedAt(now), state: anew }),
            seen: null,
            fence: nextFence,
            lease_until: 0,
          }),
      updated_at: now,
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await writeWords(inside, row);
  return toListing(row);
}

function checkVerbs(database: Database): CheckVerbs {
  const { db } = database;
  return {
    takeDueListings: (options) => inTransaction(database, (inside) => takeDue(inside, options)),
    takeListing: async (account, id, { now, leaseMs }) => {
      const own = { id, account: toLowerHex(account) };
      const row = await db
        .updateTable("listings")
        .set({ lease_until: now + leaseMs, fence: nextFence })
        .where("id", "=", own.id)
        .where("account", "=", own.account)
        .where("lease_until", "<=", now)
        .where("state", "<>", "blocked")
        .returningAll()
        .executeTakeFirst();
      if (row) return toTaken(row);
      const there = db.selectFrom("listings").select("id").where("id", "=", own.id);
      const isThere = await there.where("account", "=", own.account).executeTakeFirst();
      return isThere && "busy";
    },
    recordListingCheck: (id, fence, { check, seen, stats }) =>
      inTransaction(database, async (inside) => {
        const row = await inside.db
          .updateTable("listings")
          .set({
            ...toCheckRow(check),
            ...(seen === undefined ? {} : { seen: JSON.stringify(seen) }),
            lease_until: 0,
            settlements_30d: stats.settlements,
            units_30d: stats.units.toString(),
            payers_30d: stats.payers,
            last_settled_at: stats.lastSettledAt,
          })
          .where("id", "=", id)
          .where("fence", "=", fence)
          .returningAll()
          .executeTakeFirst();
        if (row) await writeWords(inside, row);
        return row && toListing(row);
      }),
    readListingStats: (account, price, since) => readListingStats(database, account, price, since),
    forgetSales: (before, limit) => forgetSales(database, before, limit),
  };
}

async function takeDue(
  { db, engine }: Database,
  options: Parameters<ListingVerbs["takeDueListings"]>[0],
): Promise<TakenListing[]> {
  const { now, leaseMs, limit, exceptHosts = [] } = options;
  let query = db
    .selectFrom("listings")
    .select("id")
    // Not bound, so that SQLite sees that the index of due listings has them all.
    .where("state", "<>", sql.lit("blocked"))
    .where("next_at", "<=", now)
    .where("lease_until", "<=", now)
    .orderBy("next_at")
    .limit(limit);
  if (exceptHosts.length > 0) query = query.where("host", "not in", [...exceptHosts]);
  // What another process is just taking is its own.
  if (engine.hasRowLocks) query = query.forUpdate().skipLocked();
  const due = await query.execute();
  if (due.length === 0) return [];
  const rows = await db
    .updateTable("listings")
    .set({ lease_until: now + leaseMs, fence: nextFence })
    .where(
      "id",
      "in",
      due.map(({ id }) => id),
    )
    .returningAll()
    .execute();
  return rows.map(toTaken);
}

function toTaken(row: ListingRow): TakenListing {
  return { listing: toListing(row), fence: Number(row.fence) };
}
