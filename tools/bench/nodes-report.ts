/** The section of the report about slow and half-broken nodes. */
import type { NodeFigures, NodePlan } from "./nodes.ts";
import { short, table } from "./report-table.ts";

/** Its heading: what is replaced when only this part is measured again. */
export const nodesHeading = "## Slow and half-broken nodes";

/** Writes the section. */
export function nodesSection(
  { perSecond, seconds, wallets }: NodePlan,
  figures: readonly NodeFigures[],
): string {
  const rows = figures.map(({ row, paid, confirmed, p50Ms, p95Ms, calls }) => [
    row.name,
    `${confirmed} of ${paid}`,
    short(p50Ms / 1_000),
    short(p95Ms / 1_000),
    short(calls),
  ]);
  return [
    nodesHeading,
    "",
    `\`npm run bench -- --nodes\` measures this part alone, and \`--nodes=silent\` only the rows whose name contains the word. ${perSecond} payments a second are settled for ${seconds} s by ${wallets === 1 ? "one wallet" : `${wallets} wallets`}, on a chain with a block every 2 s. The times run from \`/settle\` to the answer that tells the outcome; a caller that is told 503 repeats its request after half a second. The calls are JSON-RPC calls of all endpoints, polls included. A failing endpoint answers with HTTP 503, with an internal error or not at all, in turn.`,
    "",
    table(["endpoints", "confirmed", "p50 (s)", "p95 (s)", "calls a payment"], rows),
    "",
  ].join("\n");
}
