/**
 * Follows the chain: the one place that polls, so that no payment does. Each new block is reported
 * once, in order, with the token's authorization events in it; a block that replaces one already
 * reported is announced as a reorganisation first. While nobody waits for a block the follower
 * only looks at the head now and then.
 */
import { isObject, type Hex } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { Fault, messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import {
  blockLogsCall,
  readAuthorizationEvents,
  type AuthorizationEvent,
} from "./authorization-logs.ts";
import { createBlockCadence } from "./block-cadence.ts";
import { bytesOf, quantity, resultOf, type Chain } from "./chain.ts";

/** A block's header, as far as it matters here. */
export interface BlockHead {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Unix seconds. */
  readonly time: bigint;
}

/** A new block with what happened in it. */
export interface FollowedBlock extends BlockHead {
  readonly events: readonly AuthorizationEvent[];
  /** Transactions in blocks and wei held, as of the head, per followed wallet that was read. */
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** Whether this block is the newest one known. */
  readonly isHead: boolean;
}

/** What a wallet has done and holds. */
export interface WalletState {
  readonly transactionCount: number;
  /** Wei. */
  readonly balance: bigint;
}

/** Who is told about blocks. Each call is awaited before the next block is read. */
export interface BlockListener {
  onBlock(block: FollowedBlock): Promise<void>;
  /** The blocks from this number on, with these hashes, are gone; others take their place. */
  onReorganisation(fromBlock: number, gone: readonly Hex[]): Promise<void>;
}

/** A final block; time in Unix seconds. */
export interface Finalized {
  readonly number: number;
  readonly time: bigint;
}

/** What is known of the chain right now. */
export interface ChainView {
  readonly head: BlockHead;
  /** Highest final block seen; it never goes back. */
  readonly finalized: Finalized;
  /** The node's `eth_gasPrice`, in wei. */
  readonly gasPrice: bigint;
  /** The followed wallets: as of the head, or of the last time they were read. */
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** When the head was first seen, by our clock, in milliseconds. */
  readonly seenAtMs: number;
}

/** A running follower. */
export interface BlockFollower {
  /** The latest view; undefined until the first answer. */
  view(): ChainView | undefined;
  /** Looks again at once: something is to be waited for from now on. */
  wake(): void;
  /** Resolves with the first view, once the chain has answered. */
  ready(): Promise<ChainView>;
  /** Waits for what is being done and ends. */
  stop(): Promise<void>;
}

/** Pause between looks while nobody waits for an outcome: one block period. */
const idlePollMs = 2_000;
/** Pause between looks at all endpoints: two block periods. */
const probeMs = 4_000;
/** Between reads of wallets that have nothing on their way: only other software changes those. */
const idleWalletsMs = 10_000;
/** Blocks remembered to notice a reorganisation; XDC finalizes within a handful. */
const rememberedBlocks = 128;
/** Depth taken as final where the node has no `finalized` tag. */
const finalDepth = 12;
/** Blocks read in one request while catching up. */
const catchUpBlocks = 50;

/**
 * Why somebody looks at blocks: for the outcome of a payment in flight, for the finality of one
 * that is confirmed, or not at all.
 */
export type BlockInterest = "outcome" | "finality" | "none";

/** Starts following. `interest` says what waits for blocks right now. */
export function startBlockFollower(options: {
  chain: Chain;
  clock: Clock;
  log: Log;
  listener: BlockListener;
  /** Wallets whose transaction counts and balances are read now and then. */
  wallets: readonly string[];
  /** Those of them that are read with each new head: something of theirs is on its way. */
  busyWallets(): ReadonlySet<string>;
  interest(): BlockInterest;
}): BlockFollower {
  const { chain, clock, log, listener, wallets, busyWallets, interest } = options;
  const { chainId } = chain.network;
  const known = new Map<number, Hex>();
  const cadence = createBlockCadence();
  const stopping = new AbortController();
  let wakeUp = new AbortController();
  let view: ChainView | undefined;
  let lastNumber: number | undefined;
  let wasAwaited = false;
  const ready = Promise.withResolvers<ChainView>();

  async function look(): Promise<void> {
    const [latest] = await chain.read([
      { method: "eth_getBlockByNumber", params: ["latest", false] },
    ]);
    const head = readHead(resultOf(latest, "eth_getBlockByNumber"));
    // Asked after the head was read: what is sent later cannot be in this head.
    const awaited = interest() !== "none";
    if (isBehind(head)) {
      wasAwaited = awaited;
      return;
    }
    const around = await readAround(
      chain,
      walletsToRead(),
      view?.finalized ?? { number: 0, time: 0n },
      head,
    );
    const seenAtMs = clock.nowMs();
    cadence.noteHead(head.number, seenAtMs);
    const states = new Map([...(view?.wallets ?? []), ...around.wallets]);
    view = { head, ...around.view, wallets: states, seenAtMs };
    ready.resolve(view);
    // With nobody waiting, blocks may be passed over: whoever starts to wait searches the past
    // for itself. The block on which waiting began is read in full.
    if (lastNumber === undefined || (!awaited && !wasAwaited)) {
      remember(head);
      lastNumber = head.number;
    } else await walk(head, around.wallets);
    wasAwaited = awaited;
  }

  let walletsReadAtMs = Number.NEGATIVE_INFINITY;

  function walletsToRead(): readonly string[] {
    const now = clock.nowMs();
    if (now - walletsReadAtMs < idleWalletsMs) {
      const busy = busyWallets();
      return wallets.filter((wallet) => busy.has(wallet));
    }
    walletsReadAtMs = now;
    return wallets;
  }

  async function walk(
    head: BlockHead,
    walletStates: ReadonlyMap<string, WalletState>,
  ): Promise<void> {
    let next = await firstDifferent(head);
    while (next <= head.number && !stopping.signal.aborted) {
      const last = Math.min(head.number, next + catchUpBlocks - 1);
      const heads = await readHeads(chain, next, last, head);
      const answers = await chain.read(heads.map(({ hash }) => blockLogsCall(chain, hash)));
      for (const [index, block] of heads.entries()) {
        checkParent(block);
        const events = readAuthorizationEvents(resultOf(answers[index], "eth_getLogs"));
        const isHead = block.number === head.number;
        await listener.onBlock({ ...block, events, wallets: walletStates, isHead });
        remember(block);
        lastNumber = block.number;
      }
      next = last + 1;
    }
  }

  /** Endpoints on two forks must not be taken for one chain: the next look finds where they part. */
  function checkParent({ number, parentHash }: BlockHead): void {
    const parent = known.get(number - 1);
    if (parent === undefined || parent === parentHash) return;
    throw new Fault("rpc_unavailable", "The endpoint's blocks do not follow those seen before");
  }

  /** The first block to read: one after the last, or where the chain parted from what we saw. */
  async function firstDifferent(head: BlockHead): Promise<number> {
    let number = Math.min(lastNumber ?? head.number - 1, head.number);
    const start = number;
    while (known.has(number)) {
      const hash = number === head.number ? head.hash : (await readBlock(chain, number)).hash;
      if (hash === known.get(number)) break;
      number--;
    }
    if (number < start) {
      log.warn({ chainId, fromBlock: number + 1, head: head.number }, "Chain reorganised");
      const gone = [...known].filter(([later]) => later > number);
      const hashes = gone.map(([, hash]) => hash);
      await listener.onReorganisation(number + 1, hashes);
      for (const [later] of gone) known.delete(later);
      // Whatever stops the walk that follows, these blocks are still to be read.
      lastNumber = number;
    }
    return number + 1;
  }

  /** A node behind the one asked before shows an older block of the same chain: no news. */
  function isBehind(head: BlockHead): boolean {
    if (!view || head.number > view.head.number) return false;
    const seen = known.get(head.number);
    return seen === undefined ? head.number < view.head.number : seen === head.hash;
  }

  function remember({ number, hash }: BlockHead): void {
    known.set(number, hash);
    known.delete(number - rememberedBlocks);
  }

  let probedAtMs = 0;

  /** With several endpoints, where each of them stands: a read alone shows only the one it used. */
  function probeNowAndThen(): void {
    const now = clock.nowMs();
    if (chain.endpoints.length < 2 || now - probedAtMs < probeMs) return;
    probedAtMs = now;
    void chain.probe();
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      probeNowAndThen();
      try {
        await look();
      } catch (error) {
        log.warn({ chainId, problem: messageOf(error) }, "Could not follow the chain");
      }
      wakeUp = new AbortController();
      const isAwaited = interest() === "outcome";
      const pause = isAwaited ? cadence.pauseMs(clock.nowMs()) : idlePollMs;
      await clock.sleep(pause, AbortSignal.any([stopping.signal, wakeUp.signal]));
    }
  }

  const running = run();
  return {
    view: () => view,
    ready: () => ready.promise,
    wake: () => wakeUp.abort(),
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function readAround(
  chain: Chain,
  wallets: readonly string[],
  seen: Finalized,
  head: BlockHead,
) {
  const [gasPrice, finalized, ...states] = await chain.read([
    { method: "eth_gasPrice", params: [] },
    { method: "eth_getBlockByNumber", params: ["finalized", false] },
    ...wallets.flatMap((wallet) => [
      { method: "eth_getTransactionCount", params: [wallet, "latest"] },
      { method: "eth_getBalance", params: [wallet, "latest"] },
    ]),
  ]);
  const hasTag = finalized?.ok === true && isObject(finalized.result);
  const final = hasTag
    ? readHead(finalized.result)
    : await readBlock(chain, Math.max(0, head.number - finalDepth));
  return {
    view: {
      gasPrice: quantity(resultOf(gasPrice, "eth_gasPrice"), "the gas price"),
      // A backend that lags may show an older final block; final stays final.
      finalized: final.number > seen.number ? { number: final.number, time: final.time } : seen,
    },
    wallets: new Map(
      wallets.map((wallet, index): [string, WalletState] => {
        const [count, balance] = states.slice(index * 2, index * 2 + 2);
        const transactionCount = Number(
          quantity(resultOf(count, "eth_getTransactionCount"), "a transaction count"),
        );
        const wei = quantity(resultOf(balance, "eth_getBalance"), "a balance");
        return [wallet, { transactionCount, balance: wei }];
      }),
    ),
  };
}

async function readHeads(
  chain: Chain,
  from: number,
  to: number,
  head: BlockHead,
): Promise<BlockHead[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const missing = numbers.filter((number) => number !== head.number);
  const answers = await chain.read(
    missing.map((number) => ({
      method: "eth_getBlockByNumber",
      params: [`0x${number.toString(16)}`, false],
    })),
  );
  const heads = answers.map((answer) => readHead(resultOf(answer, "eth_getBlockByNumber")));
  return to === head.number ? [...heads, head] : heads;
}

async function readBlock(chain: Chain, number: number): Promise<BlockHead> {
  const params = [`0x${number.toString(16)}`, false];
  const [answer] = await chain.read([{ method: "eth_getBlockByNumber", params }]);
  return readHead(resultOf(answer, "eth_getBlockByNumber"));
}

function readHead(value: unknown): BlockHead {
  // A node that does not have the block yet answers null.
  if (!isObject(value)) throw new Fault("rpc_unavailable", "The node does not have the block");
  return {
    number: Number(quantity(value["number"], "a block number")),
    hash: bytesOf(value["hash"], "a block hash"),
    parentHash: bytesOf(value["parentHash"], "a parent hash"),
    time: quantity(value["timestamp"], "a block time"),
  };
}
