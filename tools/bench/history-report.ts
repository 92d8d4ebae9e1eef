/** The sections of the report about years of history: one for each database and size. */
import { engineNames } from "./history-database.ts";
import type { HistoryFigures } from "./history.ts";
import { partOf, short, table } from "./report-table.ts";

/** The heading of all of them, which is kept when the rest of the page is written anew. */
const heading = "## A long history";

/** The most that work may cost beside a long history, as a multiple of an empty database. */
const ratioMax = 1.3;

const introduction = `${heading}

This section compares the cost of work of a store and a service with a long history and with an empty database, on the same machine. Half of the history belongs to one account, which the measurements use. The two are measured in turn, and each figure is a median. So that both read the same amount, both databases have the account's usage of 30 days. The empty one has 10,000 listings, enough to reach each bound of a search; the other has one per 50 settlements if that is more. Figures are milliseconds unless the row says otherwise.
`;

/** Writes the section of one database and size, with a heading of its own. */
export function historySection({ engine, rows, bytesEach, work }: HistoryFigures): string {
  const size = rows.toLocaleString("en");
  const lines = work.map(({ name, empty, long, ratio }) => [
    name,
    short(empty),
    short(long),
    short(ratio),
    ratio <= ratioMax ? "reached" : "**not reached**",
  ]);
  return [
    `### ${size} settlements on ${engineNames[engine]}`,
    "",
    `\`npm run bench -- --history ${rows} --engine ${engine}\`. On disk a settlement takes ${Math.round(bytesEach).toLocaleString("en")} bytes with its transaction, its ledger entries and all indexes, with one transaction each and after the removal of signed bytes.`,
    "",
    table(["", "empty", "long", "ratio", `at most ${ratioMax}`], lines),
    "",
  ].join("\n");
}

/** A page with one section about history replaced, or added. */
export function withHistory(page: string, section: string): string {
  const all = sectionOf(page) ?? introduction;
  const [title = ""] = section.split("\n");
  const before = partOf(all, title, "\n### ");
  const after =
    before === undefined
      ? `${all.trimEnd()}\n\n${section}`
      : all.replace(before, () => section.trimEnd());
  return withWholeHistory(page, after);
}

/** A page that is written anew, with all that was known about history. */
export function withWholeHistory(page: string, all: string): string {
  const before = sectionOf(page);
  const text = all.trimEnd();
  if (before === undefined) return `${page.trimEnd()}\n\n${text}\n`;
  return page.replace(before, () => text);
}

/** What a page says about history; undefined when it says nothing. */
export function sectionOf(page: string): string | undefined {
  return partOf(page, heading, "\n## ");
}
