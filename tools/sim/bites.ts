/**
 * What every trouble does, kind by kind, and how often it really did. A trouble counts when it
 * changed something for the facilitator: a node that refuses, an answer that is not the right one, a
 * transaction that is gone. One that is only in the plan counts nothing.
 */
import { nodeOddities } from "@farthing/lab/ordinary-node";
import { transportFaults } from "./transport-faults.ts";

/** All kinds, named after the trouble that brings them. */
export const biteKinds = [
  ...transportFaults.map((fault) => `road: ${fault}` as const),
  /** A node lets others know, or has it mined, only after some blocks. */
  "pool: late",
  /** A node says that it took a transaction and forgets it. */
  "pool: dropped",
  /** A node keeps one to itself. */
  "pool: kept",
  /** A node's pool is emptied with transactions of ours in it. */
  "pool: restarted",
  /** An answer from an older block than the newest. */
  "lag: behind",
  "outage: unreachable",
  "outage: no block",
  "token: front-run",
  "token: canceled",
  "token: drained",
  "token: blacklisted",
  "token: paused",
  "token: wallet refuses",
  /** Ours stood in a block that is gone. */
  "reorg: uprooted",
  /** A node shows blocks that are gone. */
  "reorg: not heard of",
  "wallet: out of gas money",
  "crash: killed",
  "crash: stopped",
  "crash: handed over",
  "rules: under the minimum price",
  /** A pool lets go of what pays less than is asked from now on. */
  "rules: priced out",
  "rules: over the fee cap",
  "rules: pool full",
  "rush: nonce too high",
  /** Another program's transaction at our nonce is in the pool. */
  "stranger: replacement underpriced",
  /** Another program's transaction at our nonce is mined. */
  "stranger: nonce used",
  ...nodeOddities.map((kind) => `ordinary: ${kind}` as const),
] as const;

/** One of {@link biteKinds}. */
export type BiteKind = (typeof biteKinds)[number];

/** How often each kind bit; kinds that did not are absent. */
export type BiteCounts = ReadonlyMap<BiteKind, number>;

/** Counts, while a run is played. */
export interface Bites {
  note(kind: BiteKind, times?: number): void;
  counts(): BiteCounts;
}

/** Starts to count. */
export function createBites(): Bites {
  const counts = new Map<BiteKind, number>();
  return {
    note(kind, times = 1) {
      if (times > 0) counts.set(kind, (counts.get(kind) ?? 0) + times);
    },
    counts: () => counts,
  };
}

/** The counts of several runs together. */
export function sumOf(runs: readonly BiteCounts[]): BiteCounts {
  const total = createBites();
  for (const counts of runs) for (const [kind, times] of counts) total.note(kind, times);
  return total.counts();
}
