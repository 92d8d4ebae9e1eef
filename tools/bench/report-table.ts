/** Tables and figures as the report shows them. */

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map(tableLine).join("\n");
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Three digits are more than a run on a shared machine is worth. */
export function short(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return `${Number(value.toPrecision(3))}`;
}

/** The part of a page from a heading to the next of its kind, without the line's end between them. */
export function partOf(page: string, title: string, next: string): string | undefined {
  const from = page.indexOf(`${title}\n`);
  if (from < 0) return undefined;
  const end = page.indexOf(next, from + title.length);
  return page.slice(from, end < 0 ? undefined : end).trimEnd();
}
