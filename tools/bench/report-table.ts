/** Tables, figures and parts of the page as the report shows them. */
import { percentile } from "./load.ts";

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

/** A page with the part of a heading replaced, or added before the last one. */
export function withPart(page: string, heading: string, section: string): string {
  const text = section.trimEnd();
  const before = partOf(page, heading, "\n## ");
  if (before !== undefined) return page.replace(before, () => text);
  const last = page.lastIndexOf("\n## ");
  return last < 0
    ? `${page.trimEnd()}\n\n${text}\n`
    : `${page.slice(0, last)}\n${text}\n${page.slice(last)}`;
}

/** The value that half of the values do not exceed. */
export function middleOf(values: readonly number[]): number {
  return percentile(
    values.toSorted((one, other) => one - other),
    0.5,
  );
}

/** The middle of several values, with the smallest and the largest. */
export function withRange(values: readonly number[]): string {
  const middle = short(middleOf(values));
  if (values.length < 2) return middle;
  return `${middle} (${short(Math.min(...values))} to ${short(Math.max(...values))})`;
}
