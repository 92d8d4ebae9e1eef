/**
 * Nonces that the chain has used up although not all their payments were seen in its logs: reverted
 * transactions, failed calls of a batch, calls to itself, or somebody else's transaction. Says what
 * became of the payments, and gives back those that can never be mined.
 */
import type { Hex } from "@farthing/protocol";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { AuthorizationEvent } from "../chain/authorization-logs.ts";
import type { Chain } from "../chain/chain.ts";
import { readNonceUse, readReceipts, type NonceQuestion, type Receipt } from "../chain/reads.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { NonceManager } from "./wallet-nonces.ts";
import type { Slot } from "./pending-nonce.ts";

/** A transaction that is in a block, as its receipt says. */
export interface MinedTransaction {
  readonly transaction: RelayerTransaction;
  readonly hash: Hex;
  /** Of every transaction that was signed at its nonce. */
  readonly hashes: readonly (Hex | null)[];
  readonly succeeded: boolean;
  readonly blockNumber: number;
  /** What became of authorizations in it, by its receipt. */
  readonly events: readonly AuthorizationEvent[];
  /** Settlements it carries whose logs were not seen. */
  readonly unresolved: readonly string[];
}

/** What is told about used nonces. */
export interface NonceEvents {
  /**
   * Mined for good, and some of its settlements have no log of theirs. Returns those that go into
   * another transaction.
   */
  onMinedWithoutLog(mined: MinedTransaction): Promise<readonly string[]>;
  /** Their transactions can never be mined: another one has finally taken the nonce. */
  onNeverMined(settlementIds: readonly string[]): Promise<void>;
}

/** What the look needs. */
export interface UsedNoncesDeps {
  readonly chain: Chain;
  readonly log: Log;
  readonly events: NonceEvents;
  finalizedNumber(): number;
}

/** A wallet whose nonces are looked at; its key is not needed for that. */
export interface UsedLane extends Pick<NonceManager, "slots" | "close" | "raiseNonce"> {
  readonly signer: Pick<NonceManager["signer"], "address">;
}

/** Where the chain stands for a lane. */
export interface LaneHead {
  readonly number: number;
  /** Transactions of the wallet in blocks: every nonce below is used up. */
  readonly count: number;
}

/** Looks at the used nonces of a lane. Throws a fault when the chain cannot be asked. */
export async function lookAtUsedNonces(
  lane: UsedLane,
  head: LaneHead,
  deps: UsedNoncesDeps,
): Promise<void> {
  await lane.raiseNonce(head.count);
  for (const slot of lane.slots()) slot.isUsedUp = slot.nonce < head.count;
  const used = lane.slots().filter(({ isUsedUp }) => isUsedUp);
  if (used.length === 0) return;
  const attempts = used.flatMap((slot) => slot.attempts);
  const receipts = await readReceipts(
    deps.chain,
    attempts.map(({ hash }) => hash),
  );
  const receiptOf = new Map(attempts.map(({ id }, index) => [id, receipts[index]]));
  await Promise.all(
    used.map(async (slot) => {
      try {
        await lookAtSlot(lane, slot, head, receiptOf, deps);
      } catch (error) {
        // It stays and is looked at again with the next block; other payments go on.
        const fields = { chainId: deps.chain.network.chainId, nonce: slot.nonce };
        deps.log.warn(
          { ...fields, problem: messageOf(error) },
          "Could not tell what became of a mined transaction",
        );
      }
    }),
  );
}

async function lookAtSlot(
  lane: UsedLane,
  slot: Slot,
  head: LaneHead,
  receiptOf: ReadonlyMap<number, Receipt | undefined>,
  deps: UsedNoncesDeps,
): Promise<void> {
  const mined = slot.attempts.find(({ id }) => receiptOf.get(id) !== undefined);
  const receipt = mined && receiptOf.get(mined.id);
  if (!mined || !receipt) return lookAtLostNonce(lane, slot, deps);
  // Mined in a block that was not looked through yet: its logs come first.
  if (receipt.blockNumber > head.number || mined.hash === null) return;
  const carried = mined.settlementIds.filter((id) => slot.unresolved.has(id));
  if (carried.length > 0) {
    // Another block may yet take this one's place, and "failed" has to last.
    if (deps.finalizedNumber() < receipt.blockNumber) return;
    const { hash } = mined;
    const hashes = slot.attempts.map((transaction) => transaction.hash);
    const without = { transaction: mined, hash, hashes, ...receipt, unresolved: carried };
    const again = new Set(await deps.events.onMinedWithoutLog(without));
    for (const id of carried) if (!again.has(id)) slot.unresolved.delete(id);
  }
  if (slot.unresolved.size > 0) {
    // Carried by other transactions at this nonce. Until this one is final they could come back.
    if (deps.finalizedNumber() < receipt.blockNumber) return;
  }
  // Closed first: given back is only what nothing open carries.
  await lane.close(slot, { transaction: mined, blockNumber: receipt.blockNumber });
  if (slot.unresolved.size > 0) await deps.events.onNeverMined([...slot.unresolved]);
}

/**
 * No receipt of ours: the node that was asked lags, or another writer used the nonce. Where the
 * count is past the nonce at a final block and the same node has no receipt up to there, it did.
 */
async function lookAtLostNonce(lane: UsedLane, slot: Slot, deps: UsedNoncesDeps): Promise<void> {
  const question: NonceQuestion = {
    wallet: lane.signer.address,
    hashes: slot.attempts.map(({ hash }) => hash),
    blockNumber: deps.finalizedNumber(),
  };
  for (const where of ["here", "elsewhere"] as const) {
    const use = await readNonceUse(deps.chain, question, where);
    const isLost = use && use.count > slot.nonce && use.receipts.every((one) => one === undefined);
    if (use && !isLost) return;
  }
  deps.log.error(
    { chainId: deps.chain.network.chainId, relayer: lane.signer.address, nonce: slot.nonce },
    "Another writer used a nonce of this wallet; give every process wallets of its own",
  );
  await lane.close(slot, undefined);
  await deps.events.onNeverMined([...slot.unresolved]);
}
