/** Cursors of pages, as text for query strings. */
import type { TimeCursor } from "@farthing/engine/storage";
import { bookedResourceCharsMax } from "@farthing/protocol";
import { Type } from "typebox";
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

/** The first entry of a page of names that are ordered by a number. */
export interface RankedCursor {
  readonly rank: bigint;
  readonly name: string;
}

/** The digits of a 64-bit number, and a printable name in base64url: four characters for three. */
const rankedCharsMax = 19 + 1 + Math.ceil((bookedResourceCharsMax * 4) / 3);

export const rankedCursor = {
  schema: Type.Optional(
    Type.String({
      pattern: "^[0-9]{1,19}\\.[A-Za-z0-9_-]+$",
      maxLength: rankedCharsMax,
      description: "`next` of the page before",
    }),
  ),
  write: (cursor: RankedCursor | null) =>
    cursor && `${cursor.rank}.${Buffer.from(cursor.name).toString("base64url")}`,
  read(text: string | undefined): RankedCursor | undefined {
    if (text === undefined) return undefined;
    const [rank = "", coded = ""] = text.split(".");
    const cursor = { rank: BigInt(rank), name: Buffer.from(coded, "base64url").toString() };
    if (rankedCursor.write(cursor) !== text) throw badCursor();
    return cursor;
  },
};

/** The response to a cursor that this service did not write. */
export function badCursor(): HttpProblem {
  return new HttpProblem("invalid_request", "This is no cursor; send `next` of the page before.");
}
