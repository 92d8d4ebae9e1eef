/** Pages of lists that are read newest first, by (created_at, id). */
import { sql, type RawBuilder, type SqlBool } from "kysely";

export interface Page<Item, Cursor> {
  readonly items: readonly Item[];
  readonly next: Cursor | null;
}

/** The first entry of a page. */
export interface TimeCursor {
  readonly createdAt: number;
  readonly id: string;
}

export interface Paging<Cursor> {
  /** The newest entry when absent. */
  readonly from?: Cursor | undefined;
  readonly limit: number;
}

/** The condition that a row belongs to the page; true for the first page. */
export function fromCursor(from: TimeCursor | undefined): RawBuilder<SqlBool> {
  if (!from) return sql`1 = 1`;
  // As a pair, which an index on both finds at once.
  return sql`(created_at, id) <= (${from.createdAt}, ${from.id})`;
}

/** Removes the row that was read beyond the limit: it begins the next page. */
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
