/**
 * What every trouble does, kind by kind, and how often it really did. A trouble counts when it
 * changed something for the facilitator: a node that refuses, an answer that is not the right one, a
 * transaction that is gone. One that is only in the plan counts nothing.
 */
import { nodeOddities } from "@farthing/lab/ordinary-node";
import { transportFaults, type MetFault } from "@farthing/lab/faulty-transport";

/** All kinds, named after the trouble that brings them. */
export const observedFaultKinds = [
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
export type ObservedFaultKind = (typeof observedFaultKinds)[number];

/** The kind of what a request met. */
export function observedKindOf(fault: MetFault): ObservedFaultKind {
  if (fault === "unreachable") return "outage: unreachable";
  return isOrdinary(fault) ? fault : `road: ${fault}`;
}

function isOrdinary(fault: MetFault): fault is Extract<MetFault, `ordinary: ${string}`> {
  return fault.startsWith("ordinary: ");
}

/** How often each kind bit; kinds that did not are absent. */
export type ObservedFaultCounts = ReadonlyMap<ObservedFaultKind, number>;

/** Counts, while a run is played. */
export interface ObservedFaults {
  note(kind: ObservedFaultKind, times?: number): void;
  counts(): ObservedFaultCounts;
}

/** Starts to count. */
export function createObservedFaults(): ObservedFaults {
  const counts = new Map<ObservedFaultKind, number>();
  return {
    note(kind, times = 1) {
      if (times > 0) counts.set(kind, (counts.get(kind) ?? 0) + times);
    },
    counts: () => counts,
  };
}

/** The counts of several runs together. */
export function sumOf(runs: readonly ObservedFaultCounts[]): ObservedFaultCounts {
  const total = createObservedFaults();
  for (const counts of runs) for (const [kind, times] of counts) total.note(kind, times);
  return total.counts();
}
