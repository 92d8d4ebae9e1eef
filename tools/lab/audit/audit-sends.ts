/**
 * What reached the nodes: a transaction that is not mined is sent again as it stands before another
 * one takes its nonce. A better price is the last remedy, and one that no node asked for is waste.
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
}

/** Refusals after which only another transaction at the nonce helps. */
const decisive = [
  "under min gas price",
  "exceeds the configured cap",
  "oversized data",
  "insufficient funds",
];

/** Blocks at which a transaction must have reached a node before another one takes its place. */
const sendsMin = 2;

/** Gives what was replaced too early, in words; `foreign`: what another program sent. */
export function auditSends(
  submissions: readonly Submission[],
  foreign: ReadonlySet<string>,
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
      if (!first || wasRefused || blocks.size >= sendsMin) return [];
      return [`${place}: ${first.hash} was sent once, then replaced`];
    });
  });
}
