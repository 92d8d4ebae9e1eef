/**
 * Listings as the public sees them. Each request reads a bounded number of rows by an index, however
 * many listings there are: on SQLite no other request is answered meanwhile.
 */
import { toLowerHex } from "@farthing/protocol";
import { sql, type ExpressionBuilder, type SelectQueryBuilder } from "kysely";
import type { Listing, ListingFilter } from "./model.ts";
import type { Database, Tables } from "@farthing/engine/storage";
import { toListing } from "./rows.ts";
import { wordsOf } from "./word-store.ts";

/** Listings that are counted: to count all would read the whole table for each page. */
const countedMax = 10_000;

/** Of the listings that are bought most, those in which a word is looked for anywhere. */
const walkedMax = 1_000;

/** Listings with a word that begins so, of which the best are taken: for each word of a search. */
const matchedMax = 500;

/** After every word that begins with the same letters. */
const lastCharacter = "\u{10ffff}";

/** Reads of listings for the public. */
export interface PublicListingStore {
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

/** Creates the reads for the public. */
export function publicMethods(database: Database): PublicListingStore {
  const { db } = database;
  return {
    listPublicListings: async (filter, { limit, offset }) => {
      const shown = restrict(db.selectFrom("listings"), filter);
      const [rows, counted] = await Promise.all([
        newestFirst(shown.selectAll()).limit(limit).offset(offset).execute(),
        db
          // In the order of the page, in which listings lie beside each other.
          .selectFrom(newestFirst(shown.select("id")).limit(countedMax).as("counted"))
          .select(({ fn }) => fn.countAll<number | string>().as("count"))
          .executeTakeFirstOrThrow(),
      ]);
      return { items: rows.map(toListing), total: Number(counted.count) };
    },
    searchPublicListings: (words, filter, limit) => search(database, words, filter, limit),
  };
}

/** The most bought listings are looked through whole; the others are found by how words begin. */
async function search(
  { db }: Database,
  words: readonly string[],
  filter: ListingFilter,
  limit: number,
): Promise<Listing[]> {
  const among = (beginning?: string) => {
    const candidates = beginning === undefined ? mostBought(db, filter) : withWord(db, beginning);
    // From a query that is bounded by itself: PostgreSQL would look for the words in the whole table
    // first, where few listings have them.
    let query = restrict(db.selectFrom(candidates.as("listings")), {
      ...filter,
      chainId: undefined,
    })
      .selectAll()
      .where(({ or, eb }) =>
        or(words.map((word) => eb("search_text", "like", sql<string>`${pattern(word)}`))),
      );
    // Neither the network nor the order by an index: that would be read to its end where little
    // fits.
    if (filter.chainId !== undefined) query = query.where(sql`+chain_id`, "=", filter.chainId);
    return query
      .orderBy(sql`+settlements_30d`, "desc")
      .orderBy("created_at")
      .orderBy("id")
      .limit(limit)
      .execute();
  };
  const found = new Map((await among()).map((row) => [row.id, row]));
  for (const word of words) {
    if (found.size >= limit) break;
    const [longest] = wordsOf(word).toSorted((one, other) => other.length - one.length);
    if (longest === undefined) continue;
    for (const row of await among(longest)) found.set(row.id, row);
  }
  return [...found.values()].map(toListing).toSorted(bestFirst).slice(0, limit);
}

function mostBought(db: Database["db"], { payTo }: ListingFilter) {
  const shown = restrictShown(db.selectFrom("listings")).selectAll();
  const own = payTo === undefined ? shown : shown.where("account", "=", toLowerHex(payTo));
  return own
    .orderBy("settlements_30d", "desc")
    .orderBy("created_at")
    .orderBy("id")
    .limit(walkedMax);
}

function withWord(db: Database["db"], beginning: string) {
  const matched = db
    .selectFrom("listing_words")
    .select("listing_id")
    .where("word", ">=", beginning)
    .where("word", "<", `${beginning}${lastCharacter}`)
    .limit(matchedMax);
  return db.selectFrom("listings").selectAll().where("id", "in", matched).limit(matchedMax);
}

/**
 * What is bought most, then what has been there longest: an account that lists one thing over and over does
 * not push the others out of what is put into order.
 */
function bestFirst(one: Listing, other: Listing): number {
  return (
    other.stats.settlements - one.stats.settlements ||
    one.createdAt - other.createdAt ||
    (one.id < other.id ? -1 : 1)
  );
}

/** A word anywhere in a text; the signs of LIKE stand for any sign, which finds more, not less. */
function pattern(word: string): string {
  return `%${word.replaceAll(/[\\%_]/g, "_")}%`;
}

function newestFirst<Row>(query: SelectQueryBuilder<Tables, "listings", Row>) {
  return query.orderBy("created_at", "desc").orderBy("id", "desc");
}

/** What the public sees: see `isPublic` of the model. */
function isShown({ or, and, eb }: ExpressionBuilder<Tables, "listings">) {
  // Not bound, so that SQLite sees that the indexes of these listings have them all.
  return or([
    eb("state", "=", sql.lit("live")),
    and([eb("state", "=", sql.lit("failing")), eb("passed_at", "is not", null)]),
  ]);
}

function restrictShown<Row>(query: SelectQueryBuilder<Tables, "listings", Row>) {
  return query.where(isShown).where("seen", "is not", null);
}

function restrict<Row>(
  query: SelectQueryBuilder<Tables, "listings", Row>,
  { payTo, chainId, hasBazaar }: ListingFilter,
): SelectQueryBuilder<Tables, "listings", Row> {
  let shown = restrictShown(query)
    // Nothing settles with the keys of an account that the operator has deactivated.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("accounts")
            .select("address")
            .whereRef("accounts.address", "=", "listings.account")
            .where("plan", "=", "inactive"),
        ),
      ),
    );
  if (payTo !== undefined) shown = shown.where("account", "=", toLowerHex(payTo));
  if (chainId !== undefined) shown = shown.where("chain_id", "=", chainId);
  // As `JSON.stringify` writes it.
  if (hasBazaar === true) shown = shown.where("seen", "not like", sql.lit('%"bazaar":null%'));
  return shown;
}
