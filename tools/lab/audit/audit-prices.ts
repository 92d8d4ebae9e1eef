/**
 * Audits what a service does after the base fee has stepped up for good: pools have dropped what pays
 * less, so it is priced again at once and not after the wait of an ordinary replacement.
 */
import type { Submission } from "./audit-sends.ts";

/** The base fee at which the chain stayed. */
export interface PriceStep {
  readonly fromBlock: number;
  readonly wei: bigint;
}

/** A block that the service has read, and the chain's head when it read it first. */
export interface SeenBlock {
  readonly number: number;
  readonly atBlock: number;
}

/**
 * Blocks with the new base fee that the service has read by then: its own steps, so that a busy machine
 * gives it more time. An ordinary replacement waits for twice as many.
 */
const seenBlocksMax = 12;

/** Returns the nonces that were sent below the new price, not mined, and not priced again in time. */
export function listNotRepriced(
  submissions: readonly Submission[],
  mined: ReadonlySet<string>,
  step: PriceStep,
  seen: readonly SeenBlock[],
): string[] {
  const deadline = seen.filter(({ number }) => number >= step.fromBlock)[seenBlocksMax - 1];
  if (!deadline) return [];
  const places = Map.groupBy(submissions, ({ from, nonce }) => `nonce ${nonce} of ${from}`);
  return [...places].flatMap(([place, sends]) => {
    const cheap = sends.filter(
      ({ atBlock, gasPrice }) => atBlock < step.fromBlock && gasPrice < step.wei,
    );
    if (cheap.length === 0 || cheap.some(({ hash }) => mined.has(hash))) return [];
    const isPricedAgain = sends.some(
      ({ atBlock, gasPrice }) => gasPrice >= step.wei && atBlock <= deadline.atBlock,
    );
    if (isPricedAgain) return [];
    return [`${place} pays less than ${step.wei} wei at block ${deadline.atBlock}`];
  });
}
