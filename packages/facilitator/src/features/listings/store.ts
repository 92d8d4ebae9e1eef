/** The store of listings. One process at a time checks a listing. */
import { toLowerHex, type Address } from "@farthing/protocol";
import { sql } from "kysely";
import type { Listing, ListingTerms, ListingMethod, CheckResult } from "./model.ts";
import { ensureAccount, lockAccount } from "../accounts/store.ts";
import { checkColumns, statColumns, type ListingRow } from "./tables.ts";
import { atomic, type Database } from "@farthing/engine/storage";
import { removeWords, writeWords } from "./word-store.ts";
import { publicMethods } from "./public-listing-store.ts";
import { isCheckedAlike, toListing, toTermsRow, uncheckedAt } from "./rows.ts";

/** A listing that this process has leased for a check. */
export interface TakenListing {
  readonly listing: Listing;
  /** The fencing token: the check is recorded only while this is the latest. */
  readonly fence: number;
}

interface DueListingOptions {
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
  /** Hosts with the most checks in progress. */
  readonly exceptHosts?: readonly string[];
}

export type ListingStore = ReturnType<typeof createListingStore>;

/** Invalidates running checks. */
const nextFence = sql<number>`fence + 1`;

export function createListingStore(database: Database) {
  return { ...ownerMethods(database), ...checkMethods(database), ...publicMethods(database) };
}

function ownerMethods(database: Database) {
  const { db } = database;
  return {
    /**
     * `taken`: the account lists this endpoint on this network. `too_many`: it has `listingsMax`.
     */
    createListing: atomic(database, create),
    /**
     * Replaces the terms of a listing. A change of what checks compare causes a new check and
     * invalidates a running one; a blocked listing stays blocked.
     */
    changeListing: atomic(database, change),
    /** Returns false when there is none. */
    removeListing: atomic(database, async (inside, account: Address, id: string) => {
      const removed = await inside.db
        .deleteFrom("listings")
        .where("id", "=", id)
        .where("account", "=", toLowerHex(account))
        .executeTakeFirst();
      if (removed.numDeletedRows === 0n) return false;
      await removeWords(inside, id);
      return true;
    }),
    /** Limited to `account` when given. */
    findListing: async (id: string, account?: Address) => {
      let query = db.selectFrom("listings").selectAll().where("id", "=", id);
      if (account) query = query.where("account", "=", toLowerHex(account));
      const row = await query.executeTakeFirst();
      return row && toListing(row);
    },
    /** Oldest first. */
    listListings: async (account: Address) => {
      const rows = await ofAccount(database, account).execute();
      return rows.map(toListing);
    },
    /** Finds an endpoint's listing in any state, preferring a live one. */
    findListingOf: async (
      account: Address,
      {
        resource,
        method,
      }: Pick<Listing, "resource"> & { readonly method?: ListingMethod | undefined },
    ) => {
      let query = ofAccount(database, account).where("resource", "=", resource);
      if (method) query = query.where("method", "=", method);
      const rows = await query.execute();
      const found = rows.find(({ state }) => state === "live") ?? rows[0];
      return found && toListing(found);
    },
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
  listing: ListingTerms & Pick<Listing, "id" | "account" | "createdAt">,
  { listingsMax }: { readonly listingsMax: number },
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
      ...checkColumns.write(uncheckedAt(createdAt)),
      seen: null,
      lease_until: 0,
      fence: 0,
      ...statColumns.write({ settlements: 0, units: 0n, payers: 0, lastSettledAt: null }),
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
  terms: ListingTerms,
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
            ...checkColumns.write({ ...uncheckedAt(now), state: anew }),
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

function checkMethods(database: Database) {
  const { db } = database;
  return {
    /** Blocks a listing or allows checks again; undefined when there is none. */
    blockListing: atomic(database, block),
    /** Leases due listings; until `leaseMs` later no other process leases them. */
    takeDueListings: atomic(database, takeDue),
    /** Leases a listing, due or not. `busy`: it is being checked, or it is blocked. */
    takeListing: async (
      account: Address,
      id: string,
      { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
    ) => {
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
    /**
     * Records a check and ends the lease. Returns the listing; undefined when it was changed,
     * removed, or leased by another process meanwhile.
     */
    recordListingCheck: atomic(database, recordCheck),
  };
}

async function recordCheck(
  inside: Database,
  id: string,
  fence: number,
  { check, seen, stats }: Pick<Listing, "check" | "stats"> & Pick<CheckResult, "seen">,
): Promise<Listing | undefined> {
  const row = await inside.db
    .updateTable("listings")
    .set({
      ...checkColumns.write(check),
      ...(seen === undefined ? {} : { seen: JSON.stringify(seen) }),
      lease_until: 0,
      ...statColumns.write(stats),
    })
    .where("id", "=", id)
    .where("fence", "=", fence)
    .returningAll()
    .executeTakeFirst();
  if (row) await writeWords(inside, row);
  return row && toListing(row);
}

async function takeDue(
  { db, engine }: Database,
  { now, leaseMs, limit, exceptHosts = [] }: DueListingOptions,
): Promise<TakenListing[]> {
  let query = db
    .selectFrom("listings")
    .select("id")
    // A literal, so that SQLite sees that the index of due listings applies.
    .where("state", "<>", sql.lit("blocked"))
    .where("next_at", "<=", now)
    .where("lease_until", "<=", now)
    .orderBy("next_at")
    .limit(limit);
  if (exceptHosts.length > 0) query = query.where("host", "not in", [...exceptHosts]);
  // Skips listings that another process is leasing.
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

async function block(
  inside: Database,
  id: string,
  isBlocked: boolean,
  now: number,
): Promise<Listing | undefined> {
  const row = await inside.db
    .updateTable("listings")
    .set({
      ...checkColumns.write({
        ...uncheckedAt(now),
        state: isBlocked ? "blocked" : "pending",
      }),
      fence: nextFence,
      lease_until: 0,
      updated_at: now,
    })
    .where("id", "=", id)
    .where("state", isBlocked ? "<>" : "=", "blocked")
    .returningAll()
    .executeTakeFirst();
  // Blocked and unchecked listings are not searchable.
  if (row) await removeWords(inside, id);
  return row && toListing(row);
}
