/** Findings of a check as rows for a person: in columns, what to do below, in colour where wanted. */
import { styleText } from "node:util";
import { printableLine } from "@farthing/protocol";

/** One finding, as the facilitator's and the gateway's checks give it. */
export interface FindingRow {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly text: string;
  /** "" when nothing has to be done. */
  readonly fix: string;
}

/** How many findings there are of each kind. */
export type FindingCounts = Readonly<Record<FindingRow["status"], number>>;

/** Counts findings. */
export function countFindings(rows: readonly FindingRow[]): FindingCounts {
  const of = (status: FindingRow["status"]) => rows.filter((row) => row.status === status).length;
  return { ok: of("ok"), warn: of("warn"), fail: of("fail") };
}

/** A title and its rows. */
export function findingText(title: string, rows: readonly FindingRow[]): string {
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return [
    `\n${styled("bold", printableLine(title))}`,
    ...rows.map((row) => rowOf(row, width)),
    "",
  ].join("\n");
}

const words: Readonly<Record<FindingRow["status"], string>> = {
  ok: "ok  ",
  warn: "warn",
  fail: "FAIL",
};
const colors = { ok: "green", warn: "yellow", fail: "red" } as const;

function rowOf({ name, status, text, fix }: FindingRow, width: number): string {
  // A node, an upstream, a facilitator or the writer of the checked file may have written it.
  const shown = `${printableLine(name.padEnd(width))}  ${printableLine(text)}`;
  const row = `  ${styled(colors[status], words[status])}  ${shown}`;
  return fix === "" ? row : `${row}\n${" ".repeat(width + 10)}→ ${printableLine(fix)}`;
}

/** The last line: whether something must be fixed. */
export function verdictText({ warn, fail }: FindingCounts): string {
  const warnings = warn === 1 ? "1 warning" : `${warn} warnings`;
  if (fail > 0) {
    const things = fail === 1 ? "1 thing" : `${fail} things`;
    return `${styled("red", `${things} must be fixed`)}, ${warnings}.`;
  }
  return `${styled("green", "Nothing must be fixed")}, ${warnings}.`;
}

/** In colour on a terminal that wants it (NO_COLOR), plain elsewhere. */
function styled(format: Parameters<typeof styleText>[0], text: string): string {
  return styleText(format, text, { stream: process.stdout });
}
