/** Prints reports and lists: text for people, JSON with --json. */
import { printableJson, printableLine } from "@farthing/protocol";
import { Option, type Command } from "commander";
import { headOf, tableText, wholeText, type Layout, type Row } from "./table.ts";

export interface PrintFlags {
  readonly json?: boolean;
}

export function addPrintFlags(command: Command): Command {
  return (
    command
      .option("--json", "print JSON")
      // Scripts of earlier versions, which printed JSON into pipes, use it.
      .addOption(new Option("--no-json").hideHelp())
  );
}

export function isJsonWanted({ json }: PrintFlags): boolean {
  return json === true;
}

/**
 * Prints a report as JSON, or its text. The text must escape what others wrote in it: here its own
 * colours could not be told from theirs.
 */
export function printReport(flags: PrintFlags, report: object, text: () => string): void {
  process.stdout.write(isJsonWanted(flags) ? `${printableJson(report, 2)}\n` : text());
}

/** Prints rows as a table, or the objects as a JSON array. */
export function printList(
  objects: readonly object[],
  rows: readonly Row[],
  none: string,
  flags: PrintFlags,
  layout: Layout = {},
): void {
  if (isJsonWanted(flags)) return console.log(printableJson(objects));
  if (rows.length === 0) return console.error(none);
  console.log(tableText(rows, layout, terminalWidth()));
}

/** Characters of a line; undefined for a pipe or a file. */
export function terminalWidth(): number | undefined {
  const { isTTY, columns } = process.stdout;
  return isTTY ? (columns ?? 80) : undefined;
}

/** Prints one object: a line for each member, or JSON. */
export function printOne(object: object, flags: PrintFlags): void {
  if (isJsonWanted(flags)) return console.log(printableJson(object));
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => headOf(name).length));
  for (const [name, value] of entries) {
    // Text of a seller must not move the cursor or imitate another line.
    const text = value === false ? "no" : printableLine(wholeText(value));
    console.log(`${headOf(name).padEnd(width)}  ${text}`);
  }
}
