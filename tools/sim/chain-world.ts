/**
 * The chain of a run. The devnet's node makes blocks only on request, and this module chooses their
 * transactions from a pool of its own (block-pool.ts), so that a transaction can be late, lost or
 * requeued by a reorganisation.
 */
import type { Devnet } from "@farthing/devnet";
import type { Clock } from "@farthing/facilitator";
import { finalDepth } from "@farthing/lab/audit";
import type { PoolTransaction } from "@farthing/lab/ordinary-node";
import type { Address, Hex } from "@farthing/protocol";
import { createBlockPool } from "./block-pool.ts";
import { createChainPrices, type ChainPrices } from "./chain-prices.ts";
import type { ObservedFaults } from "./observed-faults.ts";
import { hashOf, addressOfKey, signOrder, type Order } from "./raw-transaction.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { short, type Trace } from "./trace.ts";

/** A block by number and hash. */
export interface BlockRef {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly time: number;
}

/** A block that a reorganisation replaced, as a node shows it that still has it. */
export interface ReplacedBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly header: object;
  readonly logs: readonly unknown[];
}

/** Which transactions of the replaced blocks a reorganisation keeps for later blocks. */
export type Keep = "all" | "some" | "none";

/** The chain. */
export interface World extends Omit<ChainPrices, "sweep"> {
  readonly devnet: Devnet;
  head(): number;
  /** The newest block's time, in Unix seconds. */
  headTime(): number;
  /** The highest head so far; the head is lower only during a reorganisation. */
  highest(): number;
  blockOf(hash: string): number | undefined;
  /** Resolves when no block is being made. */
  still(): Promise<void>;
  /** Adds a transaction to the block maker's pool, for blocks from `fromBlock` on. */
  offer(transaction: PoolTransaction, fromBlock: number): void;
  /** Whether the block maker's pool has these very bytes. */
  isOffered(hash: Hex): boolean;
  /** Lets every waiting transaction into the next block. */
  release(): void;
  /** Puts a third party's transaction into the next block. */
  order(order: Order, privateKey: Hex): void;
  mine(): Promise<void>;
  /** Replaces the newest blocks by as many or one more; returns the replaced ones. */
  reorganise(options: {
    depth: number;
    keep: Keep;
    random: SeededRandom;
  }): Promise<ReplacedBlock[]>;
  /** Sets a relayer wallet's balance of native coin, in wei. */
  fund(wallet: Address, wei: bigint): Promise<void>;
  /** Sets the code of an account. */
  setCode(account: Address, code: Hex): Promise<void>;
  /** Calls the listener with every transaction that leaves all pools unmined. */
  onLost(listener: (transaction: PoolTransaction) => void): void;
  /** Transactions, of relayers and third parties, that a reorganisation removed from a block. */
  readonly reorganisedOut: ReadonlySet<Hex>;
}

interface Ordered {
  readonly order: Order;
  readonly privateKey: Hex;
}

/** An order in a block, kept for the case that the block is replaced. */
interface Placed extends Ordered {
  readonly hash: Hex;
}

/** What a chain is made with. */
export interface WorldDeps {
  readonly devnet: Devnet;
  readonly clock: Clock;
  readonly trace: Trace;
  readonly observedFaults: ObservedFaults;
}

/** Takes control of a devnet, which makes no block by itself from then on. */
export async function createWorld(deps: WorldDeps): Promise<World> {
  const { devnet, clock, trace, observedFaults } = deps;
  const { rpc } = devnet;
  const blocks = new Map<number, BlockRef>();
  const contents = new Map<number, { transactions: PoolTransaction[]; orders: Placed[] }>();
  const reorganisedOut = new Set<Hex>();
  const balances = new Map<Address, bigint>();
  const codes = new Map<Address, Hex>();
  let orders: Ordered[] = [];
  let head = 0;
  let highest = 0;
  let making: Promise<unknown> = Promise.resolve();

  await rpc("evm_setAutomine", [false]);
  const first = await readBlock(devnet);
  for (let number = 0; number <= first.number; number++) {
    const block = await readBlock(devnet, number);
    blocks.set(number, block);
  }
  setHead(first.number);

  function setHead(number: number): void {
    head = number;
    highest = Math.max(highest, number);
    trace.head = number;
  }

  const pool = createBlockPool(trace);
  const prices = createChainPrices({ pool, trace, observedFaults, head: () => head });

  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const run = making.then(step, step);
    making = run.catch(() => undefined);
    return run;
  }

  async function makeBlock(): Promise<void> {
    const ordered = orders;
    orders = [];
    const placed = await place(devnet, ordered);
    const taken: PoolTransaction[] = [];
    prices.sweep();
    for (const transaction of await pool.takeReady(head + 1, (wallet) => countOf(devnet, wallet))) {
      try {
        await rpc("eth_sendRawTransaction", [transaction.raw]);
        taken.push(transaction);
      } catch (error) {
        pool.lose(transaction, String(error));
      }
    }
    const last = blocks.get(head)?.time ?? 0;
    const time = Math.max(last + 1, Math.floor(clock.nowMs() / 1000));
    await rpc("evm_setNextBlockTimestamp", [time]);
    await rpc("evm_mine");
    const block = await readBlock(devnet);
    // The chain's own miner may have finished one more block after it was told to stop.
    for (let number = head + 1; number < block.number; number++) {
      blocks.set(number, await readBlock(devnet, number));
    }
    blocks.set(block.number, block);
    contents.set(block.number, { transactions: taken, orders: placed });
    for (const transaction of taken) pool.forget(transaction);
    setHead(block.number);
    if (taken.length > 0 || placed.length > 0) {
      const nonces = taken.map(({ nonce, hash }) => `${nonce} ${short(hash)}`).join(", ");
      trace.note(`mined: ${nonces || "no relayer transaction"}; ${placed.length} of third parties`);
    }
  }

  async function reorganise(options: Parameters<World["reorganise"]>[0]): Promise<ReplacedBlock[]> {
    const { keep, random } = options;
    const depth = Math.min(options.depth, finalDepth, head);
    const replaced: ReplacedBlock[] = [];
    for (let number = head - depth + 1; number <= head; number++) {
      const block = await readWhole(devnet, number);
      replaced.push({ ...block, header: prices.headerWith(block.header) });
    }
    trace.note(`reorganisation of ${depth} blocks from ${head - depth + 1}, keeps ${keep}`);
    await rpc("anvil_rollback", [depth]);
    setHead(head - depth);
    for (const { number } of replaced) {
      const content = contents.get(number);
      observedFaults.note("reorg: reorganised out", content?.transactions.length);
      for (const transaction of content?.transactions ?? []) {
        reorganisedOut.add(transaction.hash);
        const isKept = keep === "all" || (keep === "some" && random.chance(50));
        if (isKept) pool.offer(transaction, head + 1 + random.whole(0, depth));
        else pool.lose(transaction, "reorganised out");
      }
      for (const { hash } of content?.orders ?? []) reorganisedOut.add(hash);
      const kept = (content?.orders ?? []).filter(
        () => keep === "all" || (keep === "some" && random.chance(50)),
      );
      orders.push(...kept);
      contents.delete(number);
      blocks.delete(number);
    }
    for (const [wallet, wei] of balances) await setBalance(wallet, wei);
    for (const [account, code] of codes) await rpc("anvil_setCode", [account, code]);
    const blocksMade = depth + random.whole(0, 1);
    for (let made = 0; made < blocksMade; made++) await makeBlock();
    return replaced;
  }

  async function setBalance(wallet: Address, wei: bigint): Promise<void> {
    await rpc("anvil_setBalance", [wallet, `0x${wei.toString(16)}`]);
  }

  return {
    devnet,
    head: () => head,
    highest: () => highest,
    headTime: () => blocks.get(head)?.time ?? first.time,
    ...prices,
    blockOf: (hash) => [...blocks.values()].find((block) => block.hash === hash)?.number,
    still: async () => {
      await making;
    },
    offer: pool.offer,
    isOffered: pool.isOffered,
    release: pool.release,
    order: (order, privateKey) => void orders.push({ order, privateKey }),
    mine: () => inTurn(makeBlock),
    reorganise: (options) => inTurn(() => reorganise(options)),
    fund: (wallet, wei) =>
      inTurn(async () => {
        balances.set(wallet, wei);
        await setBalance(wallet, wei);
      }),
    setCode: (account, code) =>
      inTurn(async () => {
        codes.set(account, code);
        await rpc("anvil_setCode", [account, code]);
      }),
    onLost: pool.onLost,
    reorganisedOut,
  };
}

/** Sends ordered transactions to the devnet's node. */
async function place(devnet: Devnet, ordered: readonly Ordered[]): Promise<Placed[]> {
  const next = new Map<Address, number>();
  const placed: Placed[] = [];
  for (const { order, privateKey } of ordered) {
    const from = addressOfKey(privateKey);
    const nonce = next.get(from) ?? (await countOf(devnet, from));
    next.set(from, nonce + 1);
    const raw = signOrder(order, { privateKey, nonce, chainId: devnet.chainId });
    await devnet.rpc("eth_sendRawTransaction", [raw]);
    placed.push({ order, privateKey, hash: hashOf(raw) });
  }
  return placed;
}

async function countOf({ rpc }: Devnet, wallet: Address): Promise<number> {
  return Number(await rpc<Hex>("eth_getTransactionCount", [wallet, "latest"]));
}

async function readBlock({ rpc }: Devnet, number?: number): Promise<BlockRef> {
  const tag = number === undefined ? "latest" : hexOf(number);
  const block = await rpc<Record<"number" | "hash" | "timestamp", Hex>>("eth_getBlockByNumber", [
    tag,
    false,
  ]);
  return { number: Number(block.number), hash: block.hash, time: Number(block.timestamp) };
}

async function readWhole({ rpc, token }: Devnet, number: number): Promise<ReplacedBlock> {
  const header = await rpc<{ hash: Hex }>("eth_getBlockByNumber", [hexOf(number), false]);
  const { hash } = header;
  const logs = await rpc<unknown[]>("eth_getLogs", [{ address: token, blockHash: hash }]);
  return { number, hash, header, logs };
}

/** A number as JSON-RPC writes it. */
export function hexOf(number: number): Hex {
  return `0x${number.toString(16)}`;
}
