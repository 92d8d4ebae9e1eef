/**
 * Audits the transactions that reached the nodes: one that is not mined has to be sent again unchanged
 * before another transaction replaces it, unless a node refused it.
 */
import type { Address, Hex } from "@farthing/protocol";

/** A transaction that reached a node, and the reply. */
export interface Submission {
  readonly hash: Hex;
  readonly from: Address;
  readonly nonce: number;
  /** The chain's head then. */
  readonly atBlock: number;
  /** Undefined when the node took it. */
  readonly refusal: string | undefined;
  /** In wei. */
  readonly gasPrice: bigint;
}

/** Refusals that require another transaction at the nonce. */
const decisive = [
  "under min gas price",
  "exceeds the configured cap",
  "oversized data",
  "insufficient funds",
];

/** Blocks at which a transaction must have reached a node before another one takes its place. */
const sendsMin = 2;

/**
 * Returns the transactions that were replaced too early; `foreign`: those of another program; `swept`:
 * those that no pool keeps, because the chain's price has risen above theirs.
 */
export function auditSends(
  submissions: readonly Submission[],
  {
    foreign,
    swept,
  }: { readonly foreign: ReadonlySet<string>; readonly swept: ReadonlySet<string> },
): string[] {
  const ours = submissions.filter(({ hash }) => !foreign.has(hash));
  const places = Map.groupBy(ours, ({ from, nonce }) => `nonce ${nonce} of ${from}`);
  return [...places].flatMap(([place, seen]) => {
    const byHash = Map.groupBy(seen, ({ hash }) => hash);
    // In the order in which they were first seen: the last one was replaced by nothing.
    const replaced = [...byHash.values()].slice(0, -1);
    return replaced.flatMap((sends) => {
      const [first] = sends;
      const blocks = new Set(sends.map(({ atBlock }) => atBlock));
      const wasRefused = sends.some(({ refusal }) =>
        decisive.some((words) => refusal?.includes(words)),
      );
      if (!first || swept.has(first.hash) || wasRefused || blocks.size >= sendsMin) return [];
      return [`${place}: ${first.hash} was sent once, then replaced`];
    });
  });
}
