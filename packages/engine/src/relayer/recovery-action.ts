/**
 * What to do about a nonce that is not mined yet. Age is counted in blocks, not in seconds: XDC
 * itself pauses for up to a minute when a leader is missing. Since the base fee is constant, a
 * transaction that is not mined was dropped, not spread, or waits behind a gap; a better price is
 * the last remedy, not the first.
 */
import { plainTransferGas } from "./fees.ts";
import type { Slot } from "./pending-nonce.ts";

/** Blocks without inclusion after which the same bytes go to every endpoint. */
export const fanOutAfterBlocks = 3;

/** Blocks after which the lane moves to another endpoint: this one or its peers are ill. */
export const moveAfterBlocks = 8;

/** Blocks after which a better price is tried; twice as many after each try. */
export const repriceAfterBlocks = 25;

/** Sends that a node refused for want of a predecessor before the lane moves on. */
const refusalsMax = 3;

/** What a slot needs now. */
export type Remedy =
  | "wait"
  /** The same bytes once more, to the lane's endpoint. */
  | "send"
  /** The same bytes to every endpoint. */
  | "fan_out"
  /** The same bytes to another endpoint, which becomes the lane's. */
  | "move"
  /** The same call at the same nonce for a better price. */
  | "reprice"
  /** A call to itself at the same nonce: what it carried can no longer go this way. */
  | "use_up"
  /** The same, and what it carried goes to other wallets, or into smaller batches, at once. */
  | "give_back";

/** Remedies that put another transaction at the nonce. */
export function isReplacing(remedy: Remedy): boolean {
  return remedy === "reprice" || remedy === "use_up" || remedy === "give_back";
}

/** The remedy for a slot at a head block; `hasOthers` when other wallets could take the work. */
export function remedyOf(slot: Slot, headNumber: number, hasOthers: boolean): Remedy {
  const sinceSend = headNumber - slot.sentAtBlock;
  const sinceAttempt = headNumber - slot.attemptedAtBlock;
  switch (slot.outcome) {
    case "unsent":
      return "send";
    case "price_too_low":
      return "reprice";
    case "transaction_too_large":
    case "fee_cap_exceeded":
      // No node takes it as it is. A batch is made again, smaller; one payment cannot be.
      return canBeSplit(slot) ? "give_back" : "use_up";
    case "accepted":
    case "replacement_underpriced":
      return remedyOfKnown(slot, sinceSend, sinceAttempt);
    case "nonce_too_high":
    case "unknown":
    case "pool_full":
    case "wrong_chain_or_type":
      if (sinceSend < 1) return "wait";
      return slot.refusals >= refusalsMax ? "move" : "send";
    case "insufficient_gas_money":
    case "blacklisted":
      // The wallet's trouble, not the payments'. What any node has taken stays: it may be mined.
      if (hasOthers && !slot.mayBeOut && slot.unresolved.size > 0) return "give_back";
      return sinceSend < 1 ? "wait" : "send";
    default:
      // Used up, as this node says: once a block, until the chain has shown by what.
      return sinceSend < 1 ? "wait" : "send";
  }
}

/**
 * Tells whether something has to be found out, or done, about a nonce when this block is the head.
 * Until then the chain's logs say enough, and nothing else is asked of the node.
 */
export function isLate(slot: Slot, headNumber: number): boolean {
  const { outcome, sentAtBlock, isUsedUp } = slot;
  const isOnItsWay = outcome === "accepted" || outcome === "unsent";
  // Where nobody waits for a log any more, the wallet's count alone says that the nonce is used.
  const isUnseen = canRevertUnseen(slot) || slot.unresolved.size === 0;
  const afterBlocks = isUnseen ? 1 : fanOutAfterBlocks;
  return isUsedUp || !isOnItsWay || headNumber - sentAtBlock >= afterBlocks;
}

/**
 * Whether something else runs in it than one plain transfer, which has a gas limit of its own: that of
 * a cheap contract wallet is lower. Contract wallets can make it revert, which no log shows: it would
 * keep its wallet's place from others for blocks.
 */
function canRevertUnseen(slot: Slot): boolean {
  return slot.attempts.some(({ gasLimit }) => gasLimit !== plainTransferGas);
}

/** Whether a slot carries several settlements, and nothing of it can be on its way. */
function canBeSplit(slot: Slot): boolean {
  return !slot.mayBeOut && slot.unresolved.size > 1;
}

function remedyOfKnown(slot: Slot, sinceSend: number, sinceAttempt: number): Remedy {
  if (sinceAttempt >= repriceAfterBlocks * 2 ** (slot.attempts.length - 1)) {
    // With nothing left to carry the nonce only has to be used up.
    return slot.unresolved.size === 0 ? "use_up" : "reprice";
  }
  if (sinceSend < fanOutAfterBlocks) return "wait";
  return sinceAttempt >= moveAfterBlocks ? "move" : "fan_out";
}
