/**
 * What commands print that show something: text for people, JSON for programs. Commands whose
 * output is the thing itself (an answer, a key) print it the same everywhere, and not with these.
 */
import { printableJson, printableLine } from "@farthing/protocol";
import type { Command } from "commander";

/** How to print. */
export interface PrintFlags {
  /** Undefined: JSON when the output goes to a program. */
  readonly json?: boolean;
}

/** Adds `--json` and `--no-json`. */
export function addPrintFlags(command: Command): Command {
  return command
    .option("--json", "print JSON also on a terminal")
    .option("--no-json", "print text also into a pipe");
}

/** Tells whether JSON is wanted. */
export function isJsonWanted({ json }: PrintFlags): boolean {
  return json ?? !process.stdout.isTTY;
}

/**
 * Prints a report as JSON, or its text. The text makes printable what others wrote in it: here its
 * own colours could not be told from a stranger's.
 */
export function printReport(flags: PrintFlags, report: object, text: () => string): void {
  process.stdout.write(isJsonWanted(flags) ? `${printableJson(report, 2)}\n` : text());
}

/** A row of a table: cells by the name of their column. */
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

/** Rows under a line of their members' names, in columns as wide as what is in them. */
export function tableText(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return columns(
    names,
    rows.map((row) => names.map((name) => cellText(row[name]))),
  );
}

/** Rows of texts in columns, with their title above. */
export function columns(title: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [title, ...rows];
  const widths = title.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
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
  // A seller's text must not move the cursor, nor make a line look like another.
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
