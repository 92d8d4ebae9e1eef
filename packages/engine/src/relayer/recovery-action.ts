/**
 * Recovery of nonces that are not mined. Age is counted in blocks, because XDC pauses for up to a
 * minute when a leader is missing. Where the price of gas has not risen, an unmined transaction was
 * dropped, was not spread or waits behind a gap, and a higher price is the last action. Below the price
 * that blocks need now it is dropped by every node and does not come back, so a higher price is the first.
 */
import { feeCapWei } from "./batch.ts";
import { plainTransferGas } from "./fees.ts";
import { newestOf, type PendingNonce } from "./pending-nonce.ts";

/** Blocks without inclusion after which the same bytes go to every endpoint. */
export const fanOutAfterBlocks = 3;

/** Blocks after which the wallet moves to another endpoint. */
export const moveAfterBlocks = 8;

/** Blocks before the first replacement at a higher price; doubled after each attempt. */
export const repriceAfterBlocks = 25;

/** Sends refused for a missing predecessor before the wallet changes its endpoint. */
const refusalsMax = 3;

export type RecoveryAction =
  | "wait"
  /** The same bytes again, to the wallet's endpoint. */
  | "send"
  /** The same bytes to every endpoint. */
  | "fan_out"
  /** The same bytes to another endpoint, which becomes the wallet's. */
  | "move"
  /** The same call at the same nonce at a higher price. */
  | "reprice"
  /** A cancellation at the same nonce: what it carried cannot be sent this way. */
  | "cancel"
  /** The same, and its settlements go to other wallets or into smaller batches at once. */
  | "release";

/** Whether the action puts another transaction at the nonce. */
export function isReplacing(action: RecoveryAction): boolean {
  return action === "reprice" || action === "cancel" || action === "release";
}

/** The price that nodes accept now. */
export interface AcceptedPrice {
  /** The least, in wei. */
  readonly needed: bigint;
  /** Whether it is within the operator's bounds. */
  readonly isPaid: boolean;
}

/** `hasOthers`: other wallets could take the work. */
export function recoveryActionOf(
  pending: PendingNonce,
  headNumber: number,
  hasOthers: boolean,
  price: AcceptedPrice,
): RecoveryAction {
  if (!pending.isUsedUp && newestOf(pending).gasPrice < price.needed) {
    if (!price.isPaid) return "wait";
    if (isOverCap(pending, price.needed)) return canBeSplit(pending) ? "release" : "cancel";
    return pending.unresolved.size === 0 ? "cancel" : "reprice";
  }
  const sinceSend = headNumber - pending.sentAtBlock;
  const sinceAttempt = headNumber - pending.attemptedAtBlock;
  switch (pending.outcome) {
    case "unsent":
      return "send";
    case "price_too_low":
      return "reprice";
    case "transaction_too_large":
    case "fee_cap_exceeded":
      // No node accepts this size. A batch can be split; a single payment cannot.
      return canBeSplit(pending) ? "release" : "cancel";
    case "accepted":
    case "replacement_underpriced":
      return actionOnAccepted(pending, sinceSend, sinceAttempt);
    case "nonce_too_high":
    case "unknown":
    case "pool_full":
    case "wrong_chain_or_type":
      if (sinceSend < 1) return "wait";
      return pending.refusals >= refusalsMax ? "move" : "send";
    case "insufficient_gas_money":
    case "blacklisted":
      // The wallet's fault, not the payments'. What a node may have accepted can still be mined.
      if (hasOthers && !pending.mayBeOut && pending.unresolved.size > 0) return "release";
      return sinceSend < 1 ? "wait" : "send";
    default:
      // The node says that the nonce is used: resent once a block until the chain shows by what.
      return sinceSend < 1 ? "wait" : "send";
  }
}

/** Whether the node has to be asked about a nonce at this head; until then logs are enough. */
export function isLate(pending: PendingNonce, headNumber: number): boolean {
  const { outcome, sentAtBlock, isUsedUp } = pending;
  const isOnItsWay = outcome === "accepted" || outcome === "unsent";
  // Once no log is expected, only the wallet's transaction count shows that the nonce is used.
  const isUnseen = canRevertUnseen(pending) || pending.unresolved.size === 0;
  const afterBlocks = isUnseen ? 1 : fanOutAfterBlocks;
  return isUsedUp || !isOnItsWay || headNumber - sentAtBlock >= afterBlocks;
}

/** By its gas limit: all but one plain transfer can revert, which no log shows. */
function canRevertUnseen(pending: PendingNonce): boolean {
  return pending.attempts.some(({ gasLimit }) => gasLimit !== plainTransferGas);
}

function canBeSplit(pending: PendingNonce): boolean {
  return !pending.mayBeOut && pending.unresolved.size > 1;
}

/** Whether a batch would cost more than nodes let a transaction cost; a single payment never does. */
function isOverCap(pending: PendingNonce, gasPrice: bigint): boolean {
  return pending.unresolved.size > 1 && newestOf(pending).gasLimit * gasPrice > feeCapWei;
}

function actionOnAccepted(pending: PendingNonce, sinceSend: number, sinceAttempt: number) {
  // A process that sees many blocks at once has sent it once: the same bytes again come first.
  const isRepeated = pending.sentAtBlock > pending.attemptedAtBlock;
  if (isRepeated && sinceAttempt >= repriceAfterBlocks * 2 ** (pending.attempts.length - 1)) {
    // With nothing left to carry, the nonce only has to be used.
    return pending.unresolved.size === 0 ? "cancel" : "reprice";
  }
  if (sinceSend < fanOutAfterBlocks) return "wait";
  return sinceAttempt >= moveAfterBlocks ? "move" : "fan_out";
}
