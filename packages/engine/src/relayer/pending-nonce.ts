/**
 * A pending nonce: taken from a wallet and not yet closed, with every transaction attempt that was
 * signed at it. Any attempt may be mined, so all are watched until one is.
 */
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { SendOutcome } from "./broadcast.ts";

export interface PendingNonce {
  readonly nonce: number;
  /** Oldest first; the last one is the one that is sent. */
  readonly attempts: RelayerTransaction[];
  /** Settlements it carries whose outcome is not known yet. */
  readonly unresolved: Set<string>;
  /** How the last send ended. */
  outcome: SendOutcome | "unsent";
  /** Whether a node may have any of the attempts: not every send of every one was refused. */
  mayBeOut: boolean;
  /**
   * What nodes said of the newest attempt that carries settlements, whose hash callers are told. A
   * cancellation at its nonce changes nothing about it.
   */
  told: "unsent" | "refused" | "may_be_out";
  /** Head block at the last send, and when the newest attempt was first sent. */
  sentAtBlock: number;
  attemptedAtBlock: number;
  /** Consecutive sends that no node accepted. */
  refusals: number;
  /** Whether a block at the head has used the nonce: nodes no longer count it as pending. */
  isUsedUp: boolean;
}

/** `mayBeOut` unless the transaction was signed just now. */
export function createPendingNonce(
  transaction: RelayerTransaction,
  headNumber: number,
  mayBeOut: boolean,
): PendingNonce {
  return {
    nonce: transaction.nonce,
    attempts: [transaction],
    unresolved: new Set(transaction.settlementIds),
    outcome: "unsent",
    mayBeOut,
    told: mayBeOut ? "may_be_out" : "unsent",
    sentAtBlock: headNumber,
    attemptedAtBlock: headNumber,
    refusals: 0,
    isUsedUp: false,
  };
}

export function addAttempt(
  pending: PendingNonce,
  transaction: RelayerTransaction,
  headNumber: number,
): void {
  pending.attempts.push(transaction);
  for (const id of transaction.settlementIds) pending.unresolved.add(id);
  pending.outcome = "unsent";
  if (transaction.settlementIds.length > 0) pending.told = "unsent";
  pending.attemptedAtBlock = headNumber;
  pending.refusals = 0;
}

/** Adds a transaction to its nonce, which is created if it is new. Repeats change nothing. */
export function addTo(
  pendingNonces: Map<number, PendingNonce>,
  transaction: RelayerTransaction,
  { headNumber, mayBeOut }: { readonly headNumber: number; readonly mayBeOut: boolean },
): void {
  const { nonce, id } = transaction;
  const pending = pendingNonces.get(nonce);
  if (!pending) pendingNonces.set(nonce, createPendingNonce(transaction, headNumber, mayBeOut));
  else if (pending.attempts.every((other) => other.id !== id)) {
    addAttempt(pending, transaction, headNumber);
    if (mayBeOut && transaction.settlementIds.length > 0) pending.told = "may_be_out";
  }
}

/** Records how a send of the newest attempt ended. */
export function noteSend(pending: PendingNonce, outcome: SendOutcome, headNumber: number): void {
  if (pending.outcome === "unsent") pending.attemptedAtBlock = headNumber;
  pending.outcome = outcome;
  pending.mayBeOut ||= !isRefusal(outcome);
  if (newestOf(pending).settlementIds.length > 0 && pending.told !== "may_be_out") {
    pending.told = isRefusal(outcome) ? "refused" : "may_be_out";
  }
  pending.sentAtBlock = headNumber;
  pending.refusals = outcome === "accepted" ? 0 : pending.refusals + 1;
}

/** Whether every send of the attempt whose hash is told was refused, so that no node knows it. */
export function isUnknownToNodes({ told }: PendingNonce): boolean {
  return told === "refused";
}

/** Whether the node has said that it neither has these bytes nor accepts them. */
function isRefusal(outcome: SendOutcome): boolean {
  switch (outcome) {
    case "accepted":
    case "unknown":
    // The node does not say whose transaction has the nonce: it may be this one.
    case "nonce_too_low":
    case "replacement_underpriced":
      return false;
    default:
      return true;
  }
}

/** Whether the wallet takes no new work because of how the last send of this nonce ended. */
export function isPausing({ outcome }: PendingNonce): boolean {
  return (
    outcome === "insufficient_gas_money" ||
    outcome === "price_too_low" ||
    outcome === "wrong_chain_or_type" ||
    outcome === "blacklisted"
  );
}

/** Whether nodes accept no transaction of this size. */
export function isTooLarge({ outcome }: PendingNonce): boolean {
  return outcome === "transaction_too_large" || outcome === "fee_cap_exceeded";
}

/** A batch that a node refused because of its bytes, or of what it may cost. */
export interface RefusedBatch {
  readonly settlements: number;
  /** The most that it may cost, in wei. */
  readonly feeWei: bigint;
  readonly isTooDear: boolean;
}

export function refusedBatchOf(pending: PendingNonce): RefusedBatch {
  const { settlementIds, gasLimit, gasPrice } = newestOf(pending);
  const isTooDear = pending.outcome === "fee_cap_exceeded";
  return { settlements: settlementIds.length, feeWei: gasLimit * gasPrice, isTooDear };
}

/** Settlements that attempts carry and that have their outcome. */
export function listResolved({ attempts, unresolved }: PendingNonce): string[] {
  const carried = new Set(attempts.flatMap(({ settlementIds }) => settlementIds));
  return [...carried].filter((id) => !unresolved.has(id));
}

/** A settlement has no outcome: it is unresolved where its transaction is an attempt, or not signed yet. */
export function noteUndecided(
  { attempts, unresolved }: PendingNonce,
  { id, transaction }: Pick<Settlement, "id" | "transaction">,
): void {
  const isAmong = transaction === null || attempts.some(({ hash }) => hash === transaction);
  if (isAmong && attempts.some(({ settlementIds }) => settlementIds.includes(id))) {
    unresolved.add(id);
  }
}

/** The attempt that is sent. */
export function newestOf(pending: PendingNonce): RelayerTransaction {
  const newest = pending.attempts.at(-1);
  if (!newest) throw new Error("A pending nonce has a transaction");
  return newest;
}

/** The attempt of a nonce that is in a block. */
export interface MinedAttempt {
  readonly transaction: RelayerTransaction;
  readonly blockNumber: number;
}

/** Stores the end of a nonce. Without `mined`, an external sender's transaction used it. */
export async function closeNonce(
  store: Pick<EngineStore, "closeNonce" | "closeTransactions">,
  { attempts }: Pick<PendingNonce, "attempts">,
  mined: MinedAttempt | undefined,
): Promise<void> {
  if (mined) await store.closeNonce(mined.transaction, mined.blockNumber);
  // Another process may have put transactions at the nonce that this one does not know.
  else await store.closeTransactions(attempts, "dropped");
}

/** Nonces that a wallet may keep until they are final, for each that may be pending. */
const unfinalRatio = 4;

/** How many more it may send; a used nonce, kept until it is final, takes no place from unused ones. */
export function roomFor(pendingNonces: Iterable<PendingNonce>, inFlightMax: number): number {
  const all = [...pendingNonces];
  const open = all.filter(({ isUsedUp }) => !isUsedUp).length;
  return Math.min(inFlightMax - open, unfinalRatio * inFlightMax - all.length);
}

/** What the unmined transactions may cost at most, in wei; one attempt of each nonce is mined. */
export function maxCostOf(pendingNonces: Iterable<PendingNonce>): bigint {
  return [...pendingNonces].reduce(
    (sum, { isUsedUp, attempts }) => sum + (isUsedUp ? 0n : highestCost(attempts)),
    0n,
  );
}

function highestCost(attempts: readonly RelayerTransaction[]): bigint {
  return attempts.reduce((highest, { gasLimit, gasPrice }) => {
    const cost = gasLimit * gasPrice;
    return cost > highest ? cost : highest;
  }, 0n);
}

/** Consecutive sends without a clear reply after which a wallet's node counts as down. */
const unclearMax = 2;

/** Whether sends of a wallet stay without a clear reply, block after block. */
export function isSendingUnclear(pendingNonces: Iterable<PendingNonce>): boolean {
  return [...pendingNonces].some(
    ({ outcome, refusals, isUsedUp }) =>
      outcome === "unknown" && refusals >= unclearMax && !isUsedUp,
  );
}
