/** The section of the report about the databases. */
import { storeSetups, type DatabasePlan, type StoreSetup, type StoreWindow } from "./databases.ts";
import { middleOf, short, table, withRange } from "./report-table.ts";

/** Its heading. */
export const databasesHeading = "## CPU on each database";

/** The most CPU that a settlement may take on PostgreSQL, as a multiple of SQLite's. */
const ratioMax = 1.25;

/** Writes the section. */
export function databaseSection(
  { callers, rounds }: DatabasePlan,
  windows: readonly StoreWindow[],
): string {
  const rows = storeSetups.map((setup) => rowOf(setup, windows));
  return [
    databasesHeading,
    "",
    `\`npm run bench -- --databases\` measures this part alone: CPU time of the service for one settlement, without that of the database and the chain. ${callers.toLocaleString("en")} callers settle in a closed loop, in ${rounds} rounds with a window of each service, one after the other, all running all the time. The ratio is that of the windows of one round; the middle of the rounds is shown, with the smallest and the largest. Both databases sync their writes to the disk. Two processes each serve half of the callers and share the relayer wallets.`,
    "",
    table(
      ["", "per second", "CPU µs each", "beside SQLite", `at most ${ratioMax}`, "busiest process"],
      rows,
    ),
    "",
  ].join("\n");
}

function rowOf(setup: StoreSetup, windows: readonly StoreWindow[]): string[] {
  const own = windows.filter((window) => window.setup === setup);
  const ratios = own.flatMap(({ round, cpuMicros }) => {
    const base = windows.find((window) => window.setup === "SQLite" && window.round === round);
    return base ? [cpuMicros / base.cpuMicros] : [];
  });
  const isReached = middleOf(ratios) <= ratioMax ? "reached" : "**not reached**";
  const isBase = setup === "SQLite";
  const isOne = setup !== "PostgreSQL, two processes";
  return [
    setup,
    short(middleOf(own.map(({ perSecond }) => perSecond))),
    short(middleOf(own.map(({ cpuMicros }) => cpuMicros))),
    isBase ? "" : withRange(ratios),
    isBase || !isOne ? "" : isReached,
    isOne ? "" : `${short(middleOf(own.map(({ busiestShare }) => busiestShare * 100)))} %`,
  ];
}
