/** Words of public listings for searches, written with each check. */
import type { ListingRow } from "./tables.ts";
import type { Database } from "@farthing/engine/storage";

/** More words than title, description, tags and address have. */
const wordsMax = 200;

/** The same length as that of search words. */
const wordCharsMax = 40;

/** Returns the distinct words of a text in lower case. */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, wordCharsMax)))].slice(0, wordsMax);
}

/** The condition of `isPublic` in model.ts. */
function isShown({ state, passed_at: passedAt, seen }: ListingRow): boolean {
  return seen !== null && (state === "live" || (state === "failing" && passedAt !== null));
}

/** Updates the words of a listing. */
export async function writeWords({ db, engine }: Database, row: ListingRow): Promise<void> {
  const wanted = new Set(isShown(row) ? wordsOf(row.search_text) : []);
  const rows = await db
    .selectFrom("listing_words")
    .select("word")
    .where("listing_id", "=", row.id)
    .execute();
  const known = new Set(rows.map(({ word }) => word));
  const gone = [...known].filter((word) => !wanted.has(word));
  if (gone.length > 0) {
    await db
      .deleteFrom("listing_words")
      .where("listing_id", "=", row.id)
      .where("word", "in", gone)
      .execute();
  }
  const fresh = [...wanted].filter((word) => !known.has(word)).toSorted();
  if (fresh.length === 0) return;
  const list = engine.list(
    fresh.map((word) => ({ word, listing_id: row.id })),
    { word: "text", listing_id: "text" },
  );
  await db
    .insertInto("listing_words")
    .columns(["word", "listing_id"])
    .expression(db.selectFrom(list).select(["word", "listing_id"]))
    .execute();
}

export async function removeWords({ db }: Database, listingId: string): Promise<void> {
  await db.deleteFrom("listing_words").where("listing_id", "=", listingId).execute();
}
