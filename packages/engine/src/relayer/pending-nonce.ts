/**
 * A slot: one nonce of a wallet that is taken and not yet used up, with every transaction that was
 * ever signed at it. Any of them may be mined, so all are watched until one is.
 */
import type { Hex } from "@farthing/protocol";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { SendOutcome } from "./broadcast.ts";

/** A nonce on its way. */
export interface Slot {
  readonly nonce: number;
  /** Signed transactions at this nonce, oldest first; the last one is the one that is sent. */
  readonly attempts: RelayerTransaction[];
  /** Settlements it carries whose outcome is not known yet. */
  readonly unresolved: Set<string>;
  /** How the last send ended. */
  outcome: SendOutcome | "unsent";
  /** Whether any of the transactions may be somewhere: not every send of every one was refused. */
  mayBeOut: boolean;
  /** Head block at the last send, and when the newest transaction was first sent. */
  sentAtBlock: number;
  attemptedAtBlock: number;
  /** Sends in a row that no node took. */
  refusals: number;
  /** Whether a block at the head has used the nonce: nodes no longer count it as on its way. */
  isUsedUp: boolean;
}

/** A slot with its first transaction; `mayBeOut` unless it was signed just now. */
export function createSlot(
  transaction: RelayerTransaction,
  headNumber: number,
  mayBeOut: boolean,
): Slot {
  return {
    nonce: transaction.nonce,
    attempts: [transaction],
    unresolved: new Set(transaction.settlementIds),
    outcome: "unsent",
    mayBeOut,
    sentAtBlock: headNumber,
    attemptedAtBlock: headNumber,
    refusals: 0,
    isUsedUp: false,
  };
}

/** Adds a later transaction at the same nonce. */
export function addAttempt(slot: Slot, transaction: RelayerTransaction, headNumber: number): void {
  slot.attempts.push(transaction);
  for (const id of transaction.settlementIds) slot.unresolved.add(id);
  slot.outcome = "unsent";
  slot.attemptedAtBlock = headNumber;
  slot.refusals = 0;
}

/** Adds a transaction to the slot of its nonce, which is made when it is new; each is there once. */
export function addTo(
  slots: Map<number, Slot>,
  transaction: RelayerTransaction,
  { headNumber, mayBeOut }: { readonly headNumber: number; readonly mayBeOut: boolean },
): void {
  const { nonce, id } = transaction;
  const slot = slots.get(nonce);
  if (!slot) slots.set(nonce, createSlot(transaction, headNumber, mayBeOut));
  else if (slot.attempts.every((other) => other.id !== id)) {
    addAttempt(slot, transaction, headNumber);
  }
}

/** Notes how a send of the newest transaction ended. */
export function noteSend(slot: Slot, outcome: SendOutcome, headNumber: number): void {
  slot.outcome = outcome;
  slot.mayBeOut ||= !isRefusal(outcome);
  slot.sentAtBlock = headNumber;
  slot.refusals = outcome === "accepted" ? 0 : slot.refusals + 1;
}

/** Tells whether a node has said, of these bytes, that it does not have and does not want them. */
function isRefusal(outcome: SendOutcome): boolean {
  switch (outcome) {
    case "accepted":
    case "unknown":
    // Whose transaction has the nonce is not said: it may be this one.
    case "nonce_too_low":
    case "replacement_underpriced":
      return false;
    default:
      return true;
  }
}

/** Whether a wallet takes no new work beside it: for how its last send ended. */
export function isPausing({ outcome }: Slot): boolean {
  return (
    outcome === "insufficient_gas_money" ||
    outcome === "price_too_low" ||
    outcome === "wrong_chain_or_type" ||
    outcome === "blacklisted"
  );
}

/** Tells whether a node takes no transaction of this size. */
export function isTooLarge({ outcome }: Slot): boolean {
  return outcome === "transaction_too_large" || outcome === "fee_cap_exceeded";
}

/** The transaction that is sent: the last one signed. */
export function newestOf(slot: Slot): RelayerTransaction {
  const newest = slot.attempts.at(-1);
  if (!newest) throw new Error("A slot has a transaction");
  return newest;
}

/** The transaction of a slot with a hash. */
export function attemptOf(slot: Slot, hash: Hex): RelayerTransaction | undefined {
  return slot.attempts.find((transaction) => transaction.hash === hash);
}
