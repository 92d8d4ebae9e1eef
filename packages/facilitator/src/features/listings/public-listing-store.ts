/**
 * Public listings. Each request reads a bounded number of rows by an index, however many listings
 * there are, because SQLite answers no other request meanwhile.
 */
import { toLowerHex } from "@farthing/protocol";
import { sql, type ExpressionBuilder, type SelectQueryBuilder } from "kysely";
import type { Listing, ListingFilter, PageNumbers, SearchFilter } from "./model.ts";
import type { Database, Tables } from "@farthing/engine/storage";
import { toListing } from "./rows.ts";
import { wordsOf } from "./word-store.ts";

/** The bound of counting, which would otherwise read the whole table for each page. */
const countedMax = 10_000;

/** The most bought listings, which are searched for words anywhere in the text. */
const walkedMax = 1_000;

/** The most candidates for each word of a search, found by the beginning of the word. */
const matchedMax = 500;

/** Sorts behind every word with the same beginning. */
const lastCharacter = "\u{10ffff}";

export function publicMethods(database: Database) {
  const { db } = database;
  return {
    /** Public listings, newest first, and their number, up to 10,000. */
    listPublicListings: async (filter: ListingFilter, { limit, offset }: PageNumbers) => {
      const shown = restrict(db.selectFrom("listings"), filter);
      const [rows, counted] = await Promise.all([
        newestFirst(shown.selectAll()).limit(limit).offset(offset).execute(),
        db
          // In the page's order, in which listings lie next to each other.
          .selectFrom(newestFirst(shown.select("id")).limit(countedMax).as("counted"))
          .select(({ fn }) => fn.countAll<number | string>().as("count"))
          .executeTakeFirstOrThrow(),
      ]);
      return { items: rows.map(toListing), total: Number(counted.count) };
    },
    /**
     * Listings with at least one of the words (in lower case), most bought first; without words
     * among the most bought alone.
     */
    searchPublicListings: (words: readonly string[], filter: SearchFilter, limit: number) =>
      search(database, words, filter, limit),
  };
}

/** Reads the most bought listings whole, and finds others by the beginnings of words. */
async function search(
  { db }: Database,
  words: readonly string[],
  filter: SearchFilter,
  limit: number,
): Promise<Listing[]> {
  const among = (beginning?: string) => {
    const candidates = beginning === undefined ? mostBought(db, filter) : withWord(db, beginning);
    // A subquery with its own bound: PostgreSQL would otherwise search the whole table first where
    // few listings have the words.
    let query = restrict(db.selectFrom(candidates.as("listings")), {
      ...filter,
      chainId: undefined,
    }).selectAll();
    if (words.length > 0) {
      query = query.where(({ or, eb }) =>
        or(words.map((word) => eb("search_text", "like", sql<string>`${pattern(word)}`))),
      );
    }
    if (filter.maxUnits !== undefined) query = query.where(isAtMost(`${filter.maxUnits}`));
    // No index for the network or the order: it would be read to its end where few rows match.
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

/** Amounts are decimal text without leading zeros: of two, the shorter one is the smaller. */
function isAtMost(amount: string) {
  return sql<boolean>`(length(amount) < ${amount.length} or (length(amount) = ${amount.length} and amount <= ${amount}))`;
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
    // The order of the index, so that both databases and every search choose the same ones.
    .orderBy("word")
    .orderBy("listing_id")
    .limit(matchedMax);
  return db.selectFrom("listings").selectAll().where("id", "in", matched).limit(matchedMax);
}

/** Oldest first among equals, so that copies do not push others out of the candidates. */
function bestFirst(one: Listing, other: Listing): number {
  return (
    other.stats.settlements - one.stats.settlements ||
    one.createdAt - other.createdAt ||
    (one.id < other.id ? -1 : 1)
  );
}

/** Matches a word anywhere. Signs of LIKE stay unescaped, which matches more. */
function pattern(word: string): string {
  return `%${word.replaceAll(/[\\%_]/g, "_")}%`;
}

function newestFirst<Row>(query: SelectQueryBuilder<Tables, "listings", Row>) {
  return query.orderBy("created_at", "desc").orderBy("id", "desc");
}

/** The condition of `isPublic` in model.ts. */
function isShown({ or, and, eb }: ExpressionBuilder<Tables, "listings">) {
  // Literals, so that SQLite sees that the partial indexes apply.
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
  { payTo, chainId, hasBazaar, type }: ListingFilter,
): SelectQueryBuilder<Tables, "listings", Row> {
  let shown = restrictShown(query)
    // Nothing settles with the keys of a deactivated account.
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
  // As `JSON.stringify` writes it: a sample with a tool has nothing else.
  if (type === "mcp") shown = shown.where("sample", "like", sql.lit('{"tool":%'));
  if (type === "http") shown = shown.where("sample", "not like", sql.lit('{"tool":%'));
  if (hasBazaar === true) shown = shown.where("seen", "not like", sql.lit('%"bazaar":null%'));
  return shown;
}
