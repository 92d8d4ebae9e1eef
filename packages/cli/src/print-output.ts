/** What commands print that are not a response body: a table for people, JSON for programs. */

/** A flag of every such command. */
export interface PrintFlags {
  readonly json?: boolean;
}

/** JSON when asked for, and whenever no person reads it. */
export function isJsonWanted({ json }: PrintFlags): boolean {
  return json === true || !process.stdout.isTTY;
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
  if (isJsonWanted(flags)) return console.log(jsonText(objects));
  if (rows.length === 0) return console.error(none);
  console.log(tableText(rows));
}

/** Rows under a line of their members' names, in columns as wide as what is in them. */
export function tableText(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cellText(row[name])))];
  const widths = names.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** JSON of the same value in which what moves a terminal's cursor, or turns text round, is escaped. */
function jsonText(value: object): string {
  return JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}]/gu, (sign) =>
    // By its code units: those beyond the first plane have two.
    [...Array(sign.length).keys()]
      .map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A seller's text must not move the cursor, nor make a line look like another.
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
}

/** Prints one object: a line for each member, or JSON. */
export function printOne(object: object, flags: PrintFlags): void {
  if (isJsonWanted(flags)) return console.log(jsonText(object));
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  for (const [name, value] of entries) {
    console.log(`${name.padEnd(width)}  ${cellText(value)}`);
  }
}
