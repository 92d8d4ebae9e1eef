/** Every known difference from the stock facilitator, with its reason: the table is a JSON file. */
import { readFileSync } from "node:fs";

/** What both said. */
export interface Outcomes {
  readonly ours: string;
  readonly stock: string;
}

/** A difference in one case. `reason` is a key of the table's reasons. */
export interface Difference extends Outcomes {
  readonly name: string;
  readonly reason: string;
}

interface Table {
  readonly reasons: Readonly<Record<string, string>>;
  readonly differences: readonly Difference[];
}

const text = readFileSync(new URL("differences.json", import.meta.url), "utf8");

/** The table. */
export const table: Table = JSON.parse(text);

for (const { name, reason } of table.differences) {
  if (!(reason in table.reasons)) throw new Error(`${name}: there is no reason "${reason}".`);
}

/** Every difference by the name of its case. */
export const differences: Readonly<Record<string, Difference>> = Object.fromEntries(
  table.differences.map((difference) => [difference.name, difference]),
);
