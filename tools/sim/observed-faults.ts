/**
 * The faults that a run really met, by kind. A fault counts when it changed something for the
 * facilitator: a node refused, a response was wrong, a transaction was lost. A fault that stands only
 * in the plan does not count.
 */
import { nodeOddities } from "@farthing/lab/ordinary-node";
import { transportFaults, type MetFault } from "@farthing/lab/faulty-transport";

/** All kinds; each name begins with the fault kind of the plan that causes it. */
export const observedFaultKinds = [
  ...transportFaults.map((fault) => `road: ${fault}` as const),
  /** A transaction reaches other nodes, or a block, only after some blocks. */
  "pool: late",
  /** A node accepts a transaction and drops it. */
  "pool: dropped",
  /** A node accepts a transaction and does not publish it. */
  "pool: kept",
  /** A node loses its pool with our transactions in it. */
  "pool: restarted",
  /** A reply from an older block than the newest. */
  "lag: behind",
  "outage: unreachable",
  "outage: no block",
  "token: front-run",
  "token: canceled",
  "token: drained",
  "token: blacklisted",
  "token: paused",
  "token: wallet refuses",
  /** A reorganisation removed our transaction from a block. */
  "reorg: reorganised out",
  /** A node still shows blocks that were replaced. */
  "reorg: not heard of",
  "wallet: out of gas money",
  "crash: killed",
  "crash: stopped",
  "crash: handed over",
  "rules: under the minimum price",
  /** A pool drops a transaction that pays less than the new minimum. */
  "rules: priced out",
  "rules: over the fee cap",
  "rules: pool full",
  "rush: nonce too high",
  /** Another program's transaction at our nonce is in the pool. */
  "stranger: replacement underpriced",
  /** Another program's transaction at our nonce is mined. */
  "stranger: nonce used",
  /** A wallet burns its gas, at the check or in a block. */
  "contracts: burner",
  "contracts: reverter",
  /** A plain payer's account has code when the payment is checked or mined. */
  "contracts: gets-code",
  /** A payment deploys its payer's wallet. */
  "contracts: undeployed",
  /** Payments of contract wallets are in one transaction with others. */
  "contracts: shared transaction",
  /** A pool drops a transaction that pays less than the next block's base fee. */
  "gas: swept",
  /** A node refuses a transaction that pays less than the base fee. */
  "gas: refused",
  /** A caller is told that the price is above what the service pays. */
  "gas: told",
  "database: read-only",
  /** Settlements that are in no database any more. */
  "loss: settlements",
  /** A process that serves is told another time. */
  "clock: stepped",
  /** The key service does not sign. */
  "signer: down",
  ...nodeOddities.map((kind) => `ordinary: ${kind}` as const),
] as const;

/** One of {@link observedFaultKinds}. */
export type ObservedFaultKind = (typeof observedFaultKinds)[number];

/** The kind of what a request met. */
export function observedKindOf(fault: MetFault): ObservedFaultKind {
  if (fault === "unreachable") return "outage: unreachable";
  return isOrdinary(fault) ? fault : `road: ${fault}`;
}

function isOrdinary(fault: MetFault): fault is Extract<MetFault, `ordinary: ${string}`> {
  return fault.startsWith("ordinary: ");
}

/** How often each kind was met; kinds that were not are absent. */
export type ObservedFaultCounts = ReadonlyMap<ObservedFaultKind, number>;

/** Counts the faults of a run. */
export interface ObservedFaults {
  note(kind: ObservedFaultKind, times?: number): void;
  counts(): ObservedFaultCounts;
}

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
