/** Where pages begin, as text that travels in addresses. */
import type { TimeCursor } from "@farthing/engine/storage";
import { HttpProblem } from "./responses.ts";

/** Rows of a page when nobody says how many, and the most that are given. */
const rowsDefault = 50;
const rowsMax = 200;

/** Reads how many rows are wanted; more than the most are the most. */
export function readLimit(text: string | undefined): number {
  return Math.min(text === undefined ? rowsDefault : Number(text), rowsMax);
}

/** A place in a list by time. */
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
