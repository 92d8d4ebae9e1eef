/** Cursors of pages, as text for query strings. */
import type { TimeCursor } from "@farthing/engine/storage";
import { HttpProblem } from "./responses.ts";

/** The default and the maximum number of rows of a page. */
const rowsDefault = 50;
const maxRows = 200;

/** Reads the number of rows and limits it to the maximum. */
export function readLimit(text: string | undefined): number {
  return Math.min(text === undefined ? rowsDefault : Number(text), maxRows);
}

/** A position in a list that is ordered by time. */
export const timeCursor = {
  write: (cursor: TimeCursor | null) => cursor && `${cursor.createdAt}.${cursor.id}`,
  read(text: string | undefined): TimeCursor | undefined {
    if (text === undefined) return undefined;
    const [, createdAt, id] = /^(\d{1,15})\.([A-Za-z0-9_]{1,80})$/.exec(text) ?? [];
    if (createdAt === undefined || id === undefined) throw badCursor();
    return { createdAt: Number(createdAt), id };
  },
};

/** The response to a cursor that this service did not write. */
export function badCursor(): HttpProblem {
  return new HttpProblem("invalid_request", "This is no cursor; send `next` of the page before.");
}
