/** The section of the report about the upgrade of a large database. */
import { engineNames } from "./history-database.ts";
import { short, table } from "./report-table.ts";
import type { UpgradeFigures } from "./upgrade.ts";

/** Writes the section of one database and size, with a heading of its own. */
export function upgradeSection(figures: UpgradeFigures): string {
  const { engine, rows, openSeconds, indexes, sumSeconds, allSeconds, claims, bytesMs } = figures;
  const { meanwhile, afterwards, failed } = claims;
  const size = rows.toLocaleString("en");
  return [
    `### Upgrade of ${size} settlements on ${engineNames[engine]}`,
    "",
    `\`npm run bench -- --upgrade ${rows} --engine ${engine}\`: this version opens a database that an earlier version, without these indexes and sums, has filled, with all signed bytes. The store was open after ${short(openSeconds)} s, the sums of usage and sales took ${short(sumSeconds)} s, and all work was done after ${short(allSeconds)} s. A claim of 50 payments took ${short(meanwhile.p50)} ms meanwhile (p99 ${short(meanwhile.p99)}, at most ${short(meanwhile.most)}; ${meanwhile.count.toLocaleString("en")} claims, ${failed} failed), and ${short(afterwards)} ms afterwards. The signed bytes of 500 transactions are removed in ${short(bytesMs)} ms, ten times a second at most.`,
    "",
    table(
      ["index", "seconds"],
      indexes.map(({ name, seconds }) => [name, short(seconds)]),
    ),
    "",
  ].join("\n");
}
