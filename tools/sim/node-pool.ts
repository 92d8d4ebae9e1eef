/** The pool of one node, with the rules of XDPoSChain v2.7.0, of which anvil has none. */
import type { Submission } from "@farthing/lab/audit";
import { refuse, type NodeReply } from "@farthing/lab/json-rpc";
import {
  feeCapDefault,
  maxNonceDistanceDefault,
  readTransaction,
  refuseTransaction,
  type PoolTransaction,
} from "@farthing/lab/ordinary-node";
import type { Address, Hex } from "@farthing/protocol";
import { hexOf } from "./block-maker.ts";
import type { World } from "./chain-world.ts";
import type { ObservedFaultKind, ObservedFaults } from "./observed-faults.ts";
import { short, type Trace } from "./trace.ts";

/** What a node does with a transaction that it took. */
export interface TransactionFate {
  /** Late: blocks until it may be mined. */
  readonly lateBlocks: number;
  /** The node drops it at once and publishes it to no one. */
  readonly isDropped: boolean;
  /** The node keeps it to itself for so many blocks. */
  readonly keptBlocks: number;
}

/** What a node's operator has set. */
export interface NodeRules {
  /** Wei that gas limit times price may come to. */
  feeCapWei: bigint;
  /** How far above the pool's next nonce of a sender a nonce may be. */
  maxNonceDistance: number;
  /** Whether its pool takes no more. */
  isFull: boolean;
}

/** The rules of a node whose operator has set nothing. */
export const defaultRules: Readonly<NodeRules> = {
  feeCapWei: feeCapDefault,
  maxNonceDistance: maxNonceDistanceDefault,
  isFull: false,
};

/** What a pool is made with. */
export interface NodePoolDeps {
  /** Of the node. */
  readonly index: number;
  readonly world: World;
  readonly trace: Trace;
  readonly observedFaults: ObservedFaults;
  readonly rules: NodeRules;
  /** Called for each transaction that the node takes. */
  drawFate(transaction: PoolTransaction): TransactionFate;
  /** Shows a transaction to the other nodes. */
  publish(transaction: PoolTransaction): void;
  /** Called with every transaction that is sent to the node. */
  onSubmission(submission: Submission): void;
}

/** The pool. Each method takes the head that the node has at that moment. */
export interface NodePool {
  /** The next nonce of a wallet: the count at the head and what follows in the pool without a gap. */
  nextNonce(wallet: Address, head: number): Promise<number>;
  /** Takes or refuses signed bytes from a client. */
  submit(raw: Hex, head: number): Promise<NodeReply>;
  /** Takes or ignores a transaction from another node. */
  hear(transaction: PoolTransaction, head: number): Promise<void>;
  find(hash: unknown): PoolTransaction | undefined;
  clear(): void;
}

const keyOf = (from: Address, nonce: number) => `${from}:${nonce}`;

/** What a refusal is counted as, by its words. */
const kindsOfRefusals: readonly (readonly [string, ObservedFaultKind])[] = [
  ["under min gas price", "rules: under the minimum price"],
  ["exceeds the configured cap", "rules: over the fee cap"],
  ["txpool is full", "rules: pool full"],
  ["nonce too high", "rush: nonce too high"],
  ["replacement transaction underpriced", "stranger: replacement underpriced"],
  ["insufficient funds", "wallet: out of gas money"],
];

/** Creates an empty pool. */
export function createNodePool(deps: NodePoolDeps): NodePool {
  const { index, world, trace, observedFaults, rules } = deps;
  const { rpc } = world.devnet;
  const pool = new Map<string, PoolTransaction>();
  world.onLost(({ from, nonce, hash }) => {
    if (pool.get(keyOf(from, nonce))?.hash === hash) pool.delete(keyOf(from, nonce));
  });

  async function countAt(wallet: Address, head: number): Promise<number> {
    return Number(await rpc<Hex>("eth_getTransactionCount", [wallet, hexOf(head)]));
  }

  async function nextNonce(wallet: Address, head: number): Promise<number> {
    let next = await countAt(wallet, head);
    while (pool.has(keyOf(wallet, next))) next++;
    return next;
  }

  /** Removes what the head has in blocks. */
  function forgetMined(wallet: Address, count: number): void {
    for (const [key, { from, nonce }] of pool) {
      if (from === wallet && nonce < count) pool.delete(key);
    }
  }

  async function refusalOf(tx: PoolTransaction, head: number): Promise<string | undefined> {
    const count = await countAt(tx.from, head);
    forgetMined(tx.from, count);
    const { feeCapWei, maxNonceDistance, isFull } = rules;
    return refuseTransaction(
      tx,
      {
        transactionCount: count,
        poolNonce: await nextNonce(tx.from, head),
        balanceWei: BigInt(await rpc<Hex>("eth_getBalance", [tx.from, hexOf(head)])),
        sameNonce: pool.get(keyOf(tx.from, tx.nonce)),
        isFull,
      },
      { feeCapWei, maxNonceDistance, minGasPriceWei: world.priceAt(head) },
    );
  }

  async function submit(raw: Hex, head: number): Promise<NodeReply> {
    const tx = readTransaction(raw);
    if (!tx) return refuse(-32_000, "rlp: value size exceeds available input length");
    const refusal = await refusalOf(tx, head);
    trace.note(`node ${index}: nonce ${tx.nonce} ${short(tx.hash)} ${refusal ?? "taken"}`);
    const { hash, from, nonce, gasPrice } = tx;
    deps.onSubmission({ hash, from, nonce, gasPrice, atBlock: world.head(), refusal });
    if (refusal !== undefined) {
      const isUnderBaseFee = tx.gasPrice < (world.baseFeeAt(head) ?? 0n);
      if (isUnderBaseFee) observedFaults.note("gas: refused");
      for (const [words, kind] of kindsOfRefusals)
        if (refusal.includes(words)) observedFaults.note(kind);
      return refuse(-32_000, refusal);
    }
    const fate = deps.drawFate(tx);
    noteFate(fate);
    if (!fate.isDropped) pool.set(keyOf(tx.from, tx.nonce), tx);
    propagate(tx, fate);
    return { result: tx.hash };
  }

  function noteFate({ isDropped, lateBlocks, keptBlocks }: TransactionFate): void {
    if (isDropped) observedFaults.note("pool: dropped");
    else if (keptBlocks > 0) observedFaults.note("pool: kept");
    else if (lateBlocks > 0) observedFaults.note("pool: late");
  }

  function propagate(tx: PoolTransaction, fate: TransactionFate): void {
    if (fate.isDropped) return trace.note(`node ${index}: forgets nonce ${tx.nonce}`);
    if (fate.keptBlocks > 0) trace.note(`node ${index}: keeps nonce ${tx.nonce} to itself`);
    world.offer(tx, world.head() + 1 + fate.lateBlocks + fate.keptBlocks);
    if (fate.keptBlocks > 0) return;
    deps.publish(tx);
  }

  return {
    nextNonce,
    submit,
    async hear(tx, head) {
      if ((await refusalOf(tx, head)) === undefined) pool.set(keyOf(tx.from, tx.nonce), tx);
    },
    find: (hash) => [...pool.values()].find((transaction) => transaction.hash === hash),
    clear() {
      const waiting = [...pool.values()].filter(({ hash }) => world.isOffered(hash));
      observedFaults.note("pool: restarted", waiting.length);
      pool.clear();
    },
  };
}
