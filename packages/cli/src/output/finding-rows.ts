/** Findings of a check as text, each with its fix below, in colour on a terminal. */
import { styleText } from "node:util";
import type { Finding } from "@farthing/gateway";
import { printableLine } from "@farthing/protocol";

export type FindingCounts = Readonly<Record<Finding["status"], number>>;

export function countFindings(rows: readonly Finding[]): FindingCounts {
  const of = (status: Finding["status"]) => rows.filter((row) => row.status === status).length;
  return { ok: of("ok"), warn: of("warn"), fail: of("fail") };
}

export function findingText(title: string, rows: readonly Finding[]): string {
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return [
    `\n${styled("bold", printableLine(title))}`,
    ...rows.map((row) => rowOf(row, width)),
    "",
  ].join("\n");
}

const words: Readonly<Record<Finding["status"], string>> = {
  ok: "ok  ",
  warn: "warn",
  fail: "FAIL",
};
const colors = { ok: "green", warn: "yellow", fail: "red" } as const;

function rowOf({ name, status, text, fix }: Finding, width: number): string {
  // Nodes, upstreams, facilitators and the checked file are not trusted.
  const shown = `${printableLine(name.padEnd(width))}  ${printableLine(text)}`;
  const row = `  ${styled(colors[status], words[status])}  ${shown}`;
  return fix === "" ? row : `${row}\n${" ".repeat(width + 10)}→ ${printableLine(fix)}`;
}

/** The last line of a report. */
export function summaryText({ warn, fail }: FindingCounts): string {
  const warnings = warn === 1 ? "1 warning" : `${warn} warnings`;
  if (fail > 0) {
    const things = fail === 1 ? "1 thing" : `${fail} things`;
    return `${styled("red", `${things} must be fixed`)}, ${warnings}.`;
  }
  return `${styled("green", "Nothing must be fixed")}, ${warnings}.`;
}

/** Respects NO_COLOR, and is plain where standard output is not a terminal. */
function styled(format: Parameters<typeof styleText>[0], text: string): string {
  return styleText(format, text, { stream: process.stdout });
}
