/** What a wallet's nonces amount to: how many more it may have, and what they may cost. */
import { isPausing, type Slot } from "./pending-nonce.ts";

/** Nonces that a wallet may hold until they are final, for each that may be on its way. */
const unfinalRatio = 4;

/**
 * How many more transactions a wallet may have on their way. A nonce that is used up is kept until
 * what became of it is final, and keeps no other one from being sent meanwhile.
 */
export function roomBeside(slots: Iterable<Slot>, inFlightMax: number): number {
  const all = [...slots];
  const open = all.filter(({ isUsedUp }) => !isUsedUp).length;
  return Math.min(inFlightMax - open, unfinalRatio * inFlightMax - all.length);
}

/** What the transactions on their way may cost at most, in wei; what is mined is paid for. */
export function owedBy(slots: Iterable<Slot>): bigint {
  return [...slots].reduce((sum, slot) => sum + (slot.isUsedUp ? 0n : costOf(slot)), 0n);
}

/** The most expensive of a slot's transactions: one of them is mined. */
function costOf({ attempts }: Slot): bigint {
  return attempts.reduce((most, { gasLimit, gasPrice }) => {
    const cost = gasLimit * gasPrice;
    return cost > most ? cost : most;
  }, 0n);
}

/** Sends in a row without a clear answer after which a wallet's node counts as down for sending. */
const unheardMax = 2;

/** Whether nobody knows what became of a wallet's sends, block after block. */
export function isUnheard(slots: Iterable<Slot>): boolean {
  return [...slots].some(
    ({ outcome, refusals, isUsedUp }) =>
      outcome === "unknown" && refusals >= unheardMax && !isUsedUp,
  );
}

/**
 * Whether a wallet takes no work for how a send of its ended, until that nonce is taken by a node or
 * used up: a wallet that is filled again goes on.
 */
export function isHeldUp(slots: Iterable<Slot>): boolean {
  return [...slots].some(isPausing);
}
