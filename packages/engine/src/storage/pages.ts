/** Pages of lists that are read newest first, by (created_at, id). */
import { sql, type RawBuilder, type SqlBool } from "kysely";

/** A part of a list. */
export interface Page<Item, Cursor> {
  readonly items: readonly Item[];
  readonly next: Cursor | null;
}

/** Where a page begins, newest first: with the one that was made then and has this id. */
export interface TimeCursor {
  readonly createdAt: number;
  readonly id: string;
}

export interface Paging<Cursor> {
  /** Where to begin; at the newest when left out. */
  readonly from?: Cursor | undefined;
  readonly limit: number;
}

/** The condition that a row belongs to the page which begins here; true for the first page. */
export function fromCursor(from: TimeCursor | undefined): RawBuilder<SqlBool> {
  if (!from) return sql`1 = 1`;
  // As a pair, which an index on both finds at once.
  return sql`(created_at, id) <= (${from.createdAt}, ${from.id})`;
}

/** Cuts off the row that was read beyond the limit: it begins the next page. */
export function toPage<Item extends TimeCursor>(
  items: readonly Item[],
  limit: number,
): Page<Item, TimeCursor> {
  const following = items[limit];
  return {
    items: items.slice(0, limit),
    next: following ? { createdAt: following.createdAt, id: following.id } : null,
  };
}
