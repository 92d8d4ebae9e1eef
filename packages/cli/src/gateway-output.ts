/** What the gateway's commands share: their file, and text for people or JSON for programs. */
import type { Command } from "commander";

/** How to print. */
export interface OutputFlags {
  /** Undefined: JSON when the output goes to a program. */
  readonly json?: boolean;
}

/** Adds `--json` and `--no-json`. */
export function addOutputFlags(command: Command): Command {
  return command
    .option("--json", "print JSON also on a terminal")
    .option("--no-json", "print text also into a pipe");
}

/** Tells whether JSON is wanted. */
export function isJsonWanted({ json }: OutputFlags): boolean {
  return json ?? !process.stdout.isTTY;
}

/** Prints a value as JSON, or the text. */
export function print(flags: OutputFlags, value: unknown, text: () => string): void {
  process.stdout.write(isJsonWanted(flags) ? `${JSON.stringify(value, undefined, 2)}\n` : text());
}

/** Rows of texts in columns, with their title above. */
export function columns(title: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [title, ...rows];
  const widths = title.map((_, at) => Math.max(...all.map((row) => (row[at] ?? "").length)));
  const lineOf = (row: readonly string[]) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return `${all.map((row) => lineOf(row)).join("\n")}\n`;
}
