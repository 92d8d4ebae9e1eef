/** The chain of a run: its blocks (block-maker.ts), made one after another, and its accounts. */
import type { Devnet } from "@farthing/devnet";
import type { PoolTransaction } from "@farthing/lab/ordinary-node";
import type { Address, Hex } from "@farthing/protocol";
import {
  createBlockMaker,
  type Reorganisation,
  type ReplacedBlock,
  type WorldDeps,
} from "./block-maker.ts";
import type { IsWanted } from "./block-pool.ts";
import type { ChainPrices } from "./chain-prices.ts";
import type { Order } from "./raw-transaction.ts";

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
  /** What waits in the block maker's pool. */
  waiting(): PoolTransaction[];
  /** Lets every waiting transaction into the next block. */
  release(): void;
  /** Puts a third party's transaction into the next block. */
  order(order: Order, privateKey: Hex): void;
  /** Makes a block of what waits, as far as it is wanted. */
  mine(isWanted?: IsWanted): Promise<void>;
  /**
   * Replaces the newest blocks by as many or one more, which are empty where all relayed transactions wait
   * for later ones; returns the replaced ones.
   */
  reorganise(options: Reorganisation): Promise<ReplacedBlock[]>;
  /** Sets a relayer wallet's balance of native coin, in wei. */
  fund(wallet: Address, wei: bigint): Promise<void>;
  /** Sets the code of an account. */
  setCode(account: Address, code: Hex): Promise<void>;
  /** Calls the listener with every transaction that leaves all pools unmined. */
  onLost(listener: (transaction: PoolTransaction) => void): void;
  /** Transactions, of relayers and third parties, that a reorganisation removed from a block. */
  readonly reorganisedOut: ReadonlySet<Hex>;
}

/** Takes control of a devnet, which makes no block by itself from then on. */
export async function createWorld(deps: WorldDeps): Promise<World> {
  const { devnet } = deps;
  const { rpc } = devnet;
  const maker = await createBlockMaker(deps);
  const { pool, prices, reorganisedOut } = maker;
  const balances = new Map<Address, bigint>();
  const codes = new Map<Address, Hex>();
  let making: Promise<unknown> = Promise.resolve();

  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const run = making.then(step, step);
    making = run.catch(() => undefined);
    return run;
  }

  async function reorganise(options: Reorganisation): Promise<ReplacedBlock[]> {
    const replaced = await maker.rollBack(options);
    for (const [wallet, wei] of balances) await setBalance(wallet, wei);
    for (const [account, code] of codes) await rpc("anvil_setCode", [account, code]);
    const blocksMade = replaced.length + options.random.whole(0, 1);
    const isWanted = () => options.keep !== "relayed";
    for (let made = 0; made < blocksMade; made++) await maker.make(isWanted);
    return replaced;
  }

  async function setBalance(wallet: Address, wei: bigint): Promise<void> {
    await rpc("anvil_setBalance", [wallet, `0x${wei.toString(16)}`]);
  }

  return {
    devnet,
    head: () => maker.head,
    highest: () => maker.highest,
    headTime: () => maker.headTime(),
    ...prices,
    blockOf: (hash) => maker.blockOf(hash),
    still: async () => {
      await making;
    },
    offer: pool.offer,
    isOffered: pool.isOffered,
    waiting: pool.list,
    release: pool.release,
    order: (order, privateKey) => maker.order({ order, privateKey }),
    mine: (isWanted) => inTurn(() => maker.make(isWanted)),
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
