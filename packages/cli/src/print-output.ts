/** Prints reports and lists: text for people, JSON for programs. */
import { printableJson, printableLine } from "@farthing/protocol";
import type { Command } from "commander";

export interface PrintFlags {
  /** Undefined: JSON when the output goes to a program. */
  readonly json?: boolean;
}

export function addPrintFlags(command: Command): Command {
  return command
    .option("--json", "print JSON also on a terminal")
    .option("--no-json", "print text also into a pipe");
}

export function isJsonWanted({ json }: PrintFlags): boolean {
  return json ?? !process.stdout.isTTY;
}

/**
 * Prints a report as JSON, or its text. The text must escape what others wrote in it: here its own
 * colours could not be told from theirs.
 */
export function printReport(flags: PrintFlags, report: object, text: () => string): void {
  process.stdout.write(isJsonWanted(flags) ? `${printableJson(report, 2)}\n` : text());
}

/** Cells of a table by the name of their column. */
export type Row = Readonly<Record<string, unknown>>;

/** Prints rows as a table, or the objects as a JSON array. */
export function printList(
  objects: readonly object[],
  rows: readonly Row[],
  none: string,
  flags: PrintFlags,
): void {
  if (isJsonWanted(flags)) return console.log(printableJson(objects));
  if (rows.length === 0) return console.error(none);
  console.log(tableText(rows));
}

/** A table with the names of the members as its head. */
export function tableText(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return columns(
    names,
    rows.map((row) => names.map((name) => cellText(row[name]))),
  );
}

export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // Text of a seller must not move the cursor or imitate another line.
  return printableLine(text);
}

/** Prints one object: a line for each member, or JSON. */
export function printOne(object: object, flags: PrintFlags): void {
  if (isJsonWanted(flags)) return console.log(printableJson(object));
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  for (const [name, value] of entries) {
    console.log(`${name.padEnd(width)}  ${cellText(value)}`);
  }
}
