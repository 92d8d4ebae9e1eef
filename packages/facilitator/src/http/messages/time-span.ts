/** Times of a filter: a day in UTC, or an instant. */
import { Type } from "typebox";
import { HttpProblem } from "./responses.ts";

export const DayOrTime = Type.Optional(
  Type.String({
    pattern: "^\\d{4}-\\d{2}-\\d{2}(T[0-9:.]{5,15}(Z|[+-]\\d{2}:\\d{2}))?$",
    description: "`2026-11-20`, a day in UTC, or RFC 3339",
  }),
);

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the first included millisecond. Throws 400 for an invalid time. */
export function readFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parse(text);
}

/** Returns the first excluded millisecond: the end of a day, or the instant. */
export function readTo(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return parse(text) + (text.includes("T") ? 0 : dayMs);
}

function parse(text: string): number {
  const time = Date.parse(text);
  if (Number.isSafeInteger(time)) return time;
  throw new HttpProblem("invalid_request", `${text} is no time; write 2026-11-20 or RFC 3339.`);
}
