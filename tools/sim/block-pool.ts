/**
 * The pool of the block maker: transactions of relayer wallets that wait for a block. One that is
 * late, lost or put back by a reorganisation is so here, as it happens between real nodes.
 */
import type { PoolTransaction } from "@farthing/lab/ordinary-node";
import type { Address, Hex } from "@farthing/protocol";
import { short, type Trace } from "./trace.ts";

interface Waiting {
  readonly transaction: PoolTransaction;
  readonly fromBlock: number;
}

/** Whether a block takes a transaction that it could take. */
export type IsWanted = (transaction: PoolTransaction) => boolean;

/** The pool. */
export interface BlockPool {
  /** Adds a transaction, for blocks from `fromBlock` on. */
  offer(transaction: PoolTransaction, fromBlock: number): void;
  /** Whether the pool has these very bytes. */
  isOffered(hash: Hex): boolean;
  /** Removes a transaction unmined, and tells the listeners. */
  lose(transaction: PoolTransaction, reason: string): void;
  /** Removes a mined transaction, unless another one has its place. */
  forget(transaction: PoolTransaction): void;
  /** Lets every transaction into the next block. */
  release(): void;
  payingLessThan(wei: bigint): PoolTransaction[];
  list(): PoolTransaction[];
  /** The transactions that a block can take, of those that it wants: per wallet, nonces without a gap. */
  takeReady(
    block: number,
    countOf: (wallet: Address) => Promise<number>,
    isWanted: IsWanted,
  ): Promise<PoolTransaction[]>;
  /** Calls the listener with every transaction that leaves the pool unmined. */
  onLost(listener: (transaction: PoolTransaction) => void): void;
}

/** A pool holds less than this percentage more as "underpriced". */
const replacementPercent = 110n;

const keyOf = ({ from, nonce }: PoolTransaction) => `${from}:${nonce}`;

/** Creates an empty pool. */
export function createBlockPool(trace: Trace): BlockPool {
  const waiting = new Map<string, Waiting>();
  const listeners: ((transaction: PoolTransaction) => void)[] = [];

  function offer(transaction: PoolTransaction, fromBlock: number): void {
    const before = waiting.get(keyOf(transaction));
    if (before && before.transaction.hash !== transaction.hash) {
      const price = before.transaction.gasPrice;
      if (transaction.gasPrice * 100n < price * replacementPercent) return;
      trace.note(`pool: nonce ${transaction.nonce} replaced by ${short(transaction.hash)}`);
    }
    const isSame = before?.transaction.hash === transaction.hash;
    const earliest = isSame ? Math.min(fromBlock, before.fromBlock) : fromBlock;
    waiting.set(keyOf(transaction), { transaction, fromBlock: earliest });
  }

  function list(): PoolTransaction[] {
    return [...waiting.values()].map(({ transaction }) => transaction);
  }

  function lose(transaction: PoolTransaction, reason: string): void {
    trace.note(`pool: nonce ${transaction.nonce} ${short(transaction.hash)} lost: ${reason}`);
    waiting.delete(keyOf(transaction));
    for (const listener of listeners) listener(transaction);
  }

  async function takeReady(
    block: number,
    countOf: (wallet: Address) => Promise<number>,
    isWanted: IsWanted,
  ): Promise<PoolTransaction[]> {
    const ready: PoolTransaction[] = [];
    const bySender = Map.groupBy(waiting.values(), ({ transaction }) => transaction.from);
    for (const [sender, ofSender] of bySender) {
      let next = await countOf(sender);
      const inOrder = ofSender.toSorted((a, b) => a.transaction.nonce - b.transaction.nonce);
      for (const { transaction, fromBlock } of inOrder) {
        if (transaction.nonce < next) waiting.delete(keyOf(transaction));
        else if (transaction.nonce > next || fromBlock > block || !isWanted(transaction)) break;
        else {
          ready.push(transaction);
          next++;
        }
      }
    }
    return ready;
  }

  return {
    offer,
    lose,
    takeReady,
    isOffered: (hash) => list().some((transaction) => transaction.hash === hash),
    forget(transaction) {
      const key = keyOf(transaction);
      if (waiting.get(key)?.transaction.hash === transaction.hash) waiting.delete(key);
    },
    release() {
      for (const [key, entry] of waiting) waiting.set(key, { ...entry, fromBlock: 0 });
    },
    list,
    payingLessThan: (wei) => list().filter(({ gasPrice }) => gasPrice < wei),
    onLost: (listener) => void listeners.push(listener),
  };
}
