/**
 * Used nonces whose payments were not all seen in logs: reverted transactions, failed calls of a batch,
 * cancellations, or an external sender's transaction. Determines the result of the payments, and requeues
 * those that can no longer be mined.
 */
import type { Hex } from "@farthing/protocol";
import { warning, type Log } from "../base/log.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import {
  readNonceUseTwice,
  readReceipts,
  type NonceQuestion,
  type NonceUse,
  type Receipt,
} from "../chain/reads/reads.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { LossSearch } from "./loss-search.ts";
import type { NonceManager } from "./wallet-nonces.ts";
import type { PendingNonce } from "./pending-nonce.ts";

export interface MinedTransaction extends Receipt {
  readonly transaction: RelayerTransaction;
  readonly hash: Hex;
  /** Hashes of all attempts at its nonce. */
  readonly hashes: readonly (Hex | null)[];
  /** Settlements it carries whose logs were not seen. */
  readonly unresolved: readonly string[];
}

export interface NonceEvents {
  /** Final, and some settlements have no log. Returns those that go into another transaction. */
  onMinedWithoutLog(mined: MinedTransaction): Promise<readonly string[]>;
  /** Their transactions can no longer be mined: a final transaction used the nonce. */
  onNeverMined(settlementIds: readonly string[]): Promise<void>;
}

export interface UsedNoncesDeps {
  readonly chain: Chain;
  readonly log: Log;
  readonly events: NonceEvents;
  readonly lost: Pick<LossSearch, "onUnknownUse">;
  finalizedNumber(): number;
}

/** A wallet whose nonces are checked; its key is not needed. */
export interface UsedWallet extends Pick<NonceManager, "pendingNonces" | "close" | "raiseNonce"> {
  readonly signer: Pick<NonceManager["signer"], "address">;
}

export interface WalletHead {
  readonly number: number;
  /** Mined transactions of the wallet: every lower nonce is used. */
  readonly count: number;
}

/** Throws a fault when the node cannot be asked. */
export async function checkUsedNonces(manager: UsedWallet, head: WalletHead, deps: UsedNoncesDeps) {
  await manager.raiseNonce(head.count);
  for (const pending of manager.pendingNonces()) pending.isUsedUp = pending.nonce < head.count;
  const used = manager.pendingNonces().filter(({ isUsedUp }) => isUsedUp);
  if (used.length === 0) return;
  const attempts = used.flatMap((pending) => pending.attempts);
  const hashes = attempts.map(({ hash }) => hash);
  const receipts = await readReceipts(deps.chain, hashes);
  const receiptOf = new Map(attempts.map(({ id }, index) => [id, receipts[index]]));
  await Promise.all(
    used.map((pending) => {
      // After a failure the nonce stays and is checked again with the next block.
      const message = "Used nonce check failed; retrying with the next block";
      const fields = { chainId: deps.chain.network.chainId, nonce: pending.nonce };
      const repeat = warning(deps.log, { event: "used_nonce_check_failed", ...fields }, message);
      return checkUsedNonce(manager, pending, head, receiptOf, deps).catch(repeat);
    }),
  );
}

/**
 * What follows from the receipt of an attempt at a used nonce: `resolve` the payments that it carried and
 * did not show, before the nonce is closed, or `close` it at once. `payments` are all that the attempts
 * carry, with those that have their outcome; `carried` are those of this attempt that have none.
 */
export function usedNonceStep(
  blockNumber: number,
  open: { readonly payments: number; readonly carried: number },
  blocks: { readonly head: number; readonly finalized: number },
): "wait" | "resolve" | "close" {
  // The logs of a block that was not read yet come first.
  if (blockNumber > blocks.head) return "wait";
  if (open.payments === 0) return "close";
  // The block can still be reorganised out, and "failed" is final. Other attempts at this nonce can come
  // back until then, and an outcome in a later block can vanish alone: its payment belongs to this nonce.
  if (blocks.finalized < blockNumber) return "wait";
  return open.carried > 0 ? "resolve" : "close";
}

/** Whether others have used a nonce for good: no attempt of ours is in a block, and the count is past it. */
export function isUsedByOthers({ count, receipts }: NonceUse, nonce: number): boolean {
  return count > nonce && receipts.every((one) => one === undefined);
}

async function checkUsedNonce(
  manager: UsedWallet,
  pending: PendingNonce,
  head: WalletHead,
  receiptOf: ReadonlyMap<number, Receipt | undefined>,
  deps: UsedNoncesDeps,
): Promise<void> {
  const mined = pending.attempts.find(({ id }) => receiptOf.get(id) !== undefined);
  const receipt = mined && receiptOf.get(mined.id);
  if (!mined || !receipt) return checkLostNonce(manager, pending, deps);
  const { hash } = mined;
  const carried = mined.settlementIds.filter((id) => pending.unresolved.has(id));
  const payments = new Set(pending.attempts.flatMap(({ settlementIds }) => settlementIds)).size;
  const open = { payments, carried: carried.length };
  const blocks = { head: head.number, finalized: deps.finalizedNumber() };
  const step = usedNonceStep(receipt.blockNumber, open, blocks);
  if (step === "wait" || hash === null) return;
  if (step === "resolve") {
    const hashes = pending.attempts.map((transaction) => transaction.hash);
    const without = { transaction: mined, hash, hashes, ...receipt, unresolved: carried };
    const again = new Set(await deps.events.onMinedWithoutLog(without));
    for (const id of carried) if (!again.has(id)) pending.unresolved.delete(id);
  }
  // The nonce is closed first: only settlements without an open transaction are requeued.
  await manager.close(pending, { transaction: mined, blockNumber: receipt.blockNumber });
  if (pending.unresolved.size > 0) await deps.events.onNeverMined([...pending.unresolved]);
}

/**
 * The node lags, or an external sender used the nonce: if the count is past the nonce at a final block
 * for which the same node has no receipt of ours.
 */
async function checkLostNonce(manager: UsedWallet, pending: PendingNonce, deps: UsedNoncesDeps) {
  const question: NonceQuestion = {
    wallet: manager.signer.address,
    hashes: pending.attempts.map(({ hash }) => hash),
    blockNumber: deps.finalizedNumber(),
  };
  const { here, elsewhere } = await readNonceUseTwice(deps.chain, question);
  const isLostIn = (use: NonceUse) => isUsedByOthers(use, pending.nonce);
  // A second endpoint that is silent for a moment is asked again with the next block.
  if (!isLostIn(here) || elsewhere === "silent") return;
  if (elsewhere !== "none" && !isLostIn(elsewhere)) return;
  const { chainId } = deps.chain.network;
  const fields = { chainId, relayer: manager.signer.address, nonce: pending.nonce };
  deps.log.error(
    { event: "nonce_used_externally", ...fields },
    "Nonce used by another sender; use each relayer wallet in one installation only",
  );
  // The other sender may have been this service, if the database has lost what it sent.
  deps.lost.onUnknownUse(manager.signer.address);
  await manager.close(pending, undefined);
  await deps.events.onNeverMined([...pending.unresolved]);
}
