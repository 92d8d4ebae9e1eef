/**
 * The blocks of a run. The devnet's node makes blocks only on request, and this module chooses their
 * transactions from a pool of its own (block-pool.ts), so that a transaction can be late, lost or
 * requeued by a reorganisation.
 */
import type { Devnet } from "@farthing/devnet";
import type { Clock } from "@farthing/facilitator";
import { finalDepth } from "@farthing/lab/audit";
import type { PoolTransaction } from "@farthing/lab/ordinary-node";
import type { Address, Hex } from "@farthing/protocol";
import { createBlockPool, type BlockPool, type IsWanted } from "./block-pool.ts";
import { createChainPrices, type ChainPrices } from "./chain-prices.ts";
import type { ObservedFaults } from "./observed-faults.ts";
import { hashOf, addressOfKey, signOrder, type Order } from "./raw-transaction.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { short, type Trace } from "./trace.ts";

/** A block by number and hash. */
interface BlockRef {
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

/** Which transactions of the replaced blocks a reorganisation keeps; `relayed`: all but third parties'. */
export type Keep = "all" | "some" | "none" | "relayed";

/** How many of the newest blocks are replaced, by which rules. */
export interface Reorganisation {
  readonly depth: number;
  readonly keep: Keep;
  readonly random: SeededRandom;
}

interface Ordered {
  readonly order: Order;
  readonly privateKey: Hex;
}

/** An order in a block, kept for the case that the block is replaced. */
interface Placed extends Ordered {
  readonly hash: Hex;
}

/** What a block has besides the devnet's own view of it. */
interface BlockContent {
  readonly transactions: readonly PoolTransaction[];
  readonly orders: readonly Placed[];
}

/** What a chain is made with. */
export interface WorldDeps {
  readonly devnet: Devnet;
  readonly clock: Clock;
  readonly trace: Trace;
  readonly observedFaults: ObservedFaults;
}

/** Takes control of a devnet, which makes no block by itself from then on. */
export async function createBlockMaker(deps: WorldDeps): Promise<BlockMaker> {
  await deps.devnet.rpc("evm_setAutomine", [false]);
  const first = await readBlock(deps.devnet);
  const blocks: BlockRef[] = [];
  for (let number = 0; number <= first.number; number++) {
    blocks.push(await readBlock(deps.devnet, number));
  }
  return new BlockMaker(deps, blocks);
}

export class BlockMaker {
  head = 0;
  /** The highest head so far; the head is lower only during a reorganisation. */
  highest = 0;
  readonly pool: BlockPool;
  readonly prices: ChainPrices;
  /** Transactions, of relayers and third parties, that a reorganisation removed from a block. */
  readonly reorganisedOut = new Set<Hex>();
  readonly #deps: WorldDeps;
  /** The head before the run. What was placed there without a transaction would be gone with its block. */
  readonly #start: number;
  readonly #blocks: Map<number, BlockRef>;
  readonly #contents = new Map<number, BlockContent>();
  #orders: Ordered[] = [];

  constructor(deps: WorldDeps, blocks: readonly BlockRef[]) {
    this.#deps = deps;
    this.#start = blocks.length - 1;
    this.#blocks = new Map(blocks.map((block) => [block.number, block]));
    this.#setHead(this.#start);
    this.pool = createBlockPool(deps.trace);
    this.prices = createChainPrices({ ...deps, pool: this.pool, head: () => this.head });
  }

  headTime(): number {
    return this.#blocks.get(this.head)?.time ?? 0;
  }

  blockOf(hash: string): number | undefined {
    return [...this.#blocks.values()].find((block) => block.hash === hash)?.number;
  }

  /** Puts a third party's transaction into the next block. */
  order(ordered: Ordered): void {
    this.#orders.push(ordered);
  }

  /** Makes a block of what is ordered and of what the pool has ready, as far as it is wanted. */
  async make(isWanted: IsWanted = () => true): Promise<void> {
    const { devnet, trace, clock } = this.#deps;
    const ordered = this.#orders;
    this.#orders = [];
    const orders = await place(devnet, ordered);
    const transactions = await this.#sendReady(isWanted);
    const last = this.#blocks.get(this.head)?.time ?? 0;
    const time = Math.max(last + 1, Math.floor(clock.nowMs() / 1000));
    await devnet.rpc("evm_setNextBlockTimestamp", [time]);
    await devnet.rpc("evm_mine");
    const block = await readBlock(devnet);
    // The chain's own miner may have finished one more block after it was told to stop.
    for (let number = this.head + 1; number < block.number; number++) {
      this.#blocks.set(number, await readBlock(devnet, number));
    }
    this.#blocks.set(block.number, block);
    this.#contents.set(block.number, { transactions, orders });
    for (const transaction of transactions) this.pool.forget(transaction);
    this.#setHead(block.number);
    if (transactions.length > 0 || orders.length > 0) {
      const nonces = transactions.map(({ nonce, hash }) => `${nonce} ${short(hash)}`).join(", ");
      trace.note(`mined: ${nonces || "no relayer transaction"}; ${orders.length} of third parties`);
    }
  }

  /** Removes the newest blocks, and keeps their transactions for later ones as the options say. */
  async rollBack({ depth: wanted, keep, random }: Reorganisation): Promise<ReplacedBlock[]> {
    const { devnet, trace } = this.#deps;
    const head = this.head;
    const depth = Math.min(wanted, finalDepth, head - this.#start);
    if (depth === 0) return [];
    const replaced: ReplacedBlock[] = [];
    for (let number = head - depth + 1; number <= head; number++) {
      const block = await readWhole(devnet, number);
      replaced.push({ ...block, header: this.prices.headerWith(block.header) });
    }
    trace.note(`reorganisation of ${depth} blocks from ${head - depth + 1}, keeps ${keep}`);
    await devnet.rpc("anvil_rollback", [depth]);
    this.#setHead(head - depth);
    for (const { number } of replaced) this.#release(number, { depth, keep, random });
    return replaced;
  }

  /** Sends the pool's transactions that the next block can take. */
  async #sendReady(isWanted: IsWanted): Promise<PoolTransaction[]> {
    const { devnet } = this.#deps;
    const sent: PoolTransaction[] = [];
    this.prices.sweep();
    const count = (wallet: Address) => countOf(devnet, wallet);
    const ready = await this.pool.takeReady(this.head + 1, count, isWanted);
    for (const transaction of ready) {
      try {
        await devnet.rpc("eth_sendRawTransaction", [transaction.raw]);
        sent.push(transaction);
      } catch (error) {
        this.pool.lose(transaction, String(error));
      }
    }
    return sent;
  }

  /** Forgets a replaced block. */
  #release(number: number, { depth, keep, random }: Reorganisation): void {
    const { transactions, orders = [] }: Partial<BlockContent> = this.#contents.get(number) ?? {};
    const isKept = () => keep === "all" || (keep === "some" && random.chance(50));
    const isRelayed = keep === "relayed";
    this.#deps.observedFaults.note("reorg: reorganised out", transactions?.length);
    for (const transaction of transactions ?? []) {
      this.reorganisedOut.add(transaction.hash);
      if (isRelayed) this.pool.offer(transaction, this.head + 1);
      else if (isKept()) this.pool.offer(transaction, this.head + 1 + random.whole(0, depth));
      else this.pool.lose(transaction, "reorganised out");
    }
    for (const { hash } of orders) this.reorganisedOut.add(hash);
    this.#orders.push(...orders.filter(isKept));
    this.#contents.delete(number);
    this.#blocks.delete(number);
  }

  #setHead(number: number): void {
    this.head = number;
    this.highest = Math.max(this.highest, number);
    this.#deps.trace.head = number;
  }
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
