/** The section of the report about years of history. */
import type { HistoryFigures } from "./history.ts";
import { short, table } from "./report-table.ts";

/** Its heading: what is replaced when only this part is measured again. */
const heading = "## A long history";

/** The most that work may cost beside a long history, as a multiple of an empty database. */
const ratioMax = 1.3;

/** Writes the section. */
export function historySection(all: readonly HistoryFigures[]): string {
  const rows = all[0]?.rows ?? 0;
  const lines = all.flatMap(({ engine, work }) =>
    work.map(({ name, emptyMs, longMs }) => {
      const ratio = longMs / emptyMs;
      return [engine, name, short(emptyMs), short(longMs), short(ratio), verdictOf(ratio)];
    }),
  );
  const sizes = all.map(
    ({ engine, bytesEach }) => `${engine} ${Math.round(bytesEach).toLocaleString("en")} bytes`,
  );
  return [
    heading,
    "",
    `\`npm run bench -- --history ${rows}\` measures this part alone: the store's work beside ${rows.toLocaleString("en")} settlements, half of them of one account, and beside an empty database, on the same machine. Medians of 15; the history is that of the account. A settlement takes on the disk, with its transaction, its ledger entries and all indexes, one transaction each and the signed bytes gone: ${sizes.join(", ")}.`,
    "",
    table(["database", "work", "empty, ms", "long, ms", "ratio", `at most ${ratioMax}`], lines),
    "",
  ].join("\n");
}

function verdictOf(ratio: number): string {
  return ratio <= ratioMax ? "reached" : "**not reached**";
}

/** A page with its section replaced, or added at its end. */
export function withHistory(page: string, section: string): string {
  const before = sectionOf(page);
  return before === undefined ? `${page.trimEnd()}\n\n${section}` : page.replace(before, section);
}

/** The section of a page, for a page that is written anew; undefined when it has none. */
export function sectionOf(page: string): string | undefined {
  const from = page.indexOf(heading);
  if (from < 0) return undefined;
  const next = page.indexOf("\n## ", from + heading.length);
  return page.slice(from, next < 0 ? undefined : next);
}
