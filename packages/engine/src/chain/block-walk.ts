/**
 * Hands on blocks in their order, each once, with what happened in them, and announces those that a
 * reorganisation took. Goes as far as the node shows blocks whole, so that a backend which lags holds
 * up the newest block and not those before it. What is far behind and final is read in ranges.
 */
import type { Hex } from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { AuthorizationEvent } from "./authorization-logs.ts";
import {
  findHeader,
  headerCall,
  readHeader,
  readHeaders,
  type BlockHead,
} from "./block-headers.ts";
import { createBlockLogs } from "./block-logs.ts";
import { readBlockRange } from "./block-ranges.ts";
import type { Chain } from "./chain.ts";
import type { BlockListener, WalletState } from "./chain-view.ts";
import type { RpcAnswer, RpcCall } from "./rpc-endpoint.ts";

/** Blocks remembered to notice a reorganisation; XDC finalizes within a handful. */
const rememberedBlocks = 128;

/** Blocks of one step while catching up: at first, and at most. Each is a header and its logs. */
const stepBlocksFirst = 4;
const stepBlocksMax = 32;

/**
 * Blocks below the head that are read one by one, by their hashes: no backend lags so far. As many
 * have to lie below those for a range to be worth it.
 */
const nearBlocks = 12;

/**
 * Blocks without their logs that are remembered, two minutes of XDC, and that are tried at a time. A
 * payment in one that is forgotten is found by the search that ends expired payments.
 */
const lackingMax = 64;
const lateBlocksMax = 4;

/** What a walk is told with a head. */
export interface WalkedHead {
  readonly head: BlockHead;
  readonly finalizedNumber: number;
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** Replies to {@link BlockWalk.earlyCalls}, in their order, that came with the head. */
  readonly early: readonly (RpcAnswer | undefined)[];
}

/** The way through the blocks. */
export interface BlockWalk {
  /** The last block that was handed on or passed over; undefined before the first. */
  position(): number | undefined;
  /** The hash under which a block was handed on or passed over, while it is remembered. */
  hashAt(number: number): Hex | undefined;
  /** Passes over all blocks up to this one: nobody waits for what is in them. */
  passTo(head: BlockHead): void;
  /**
   * Hands on what follows, and late logs of blocks that were handed on without. Returns whether it got
   * to the head; the rest is not there yet.
   */
  walkTo(head: WalkedHead): Promise<boolean>;
  /** Blocks that were handed on without logs that their receipts hold. */
  lackingLogs(): number;
  /** Reads what happened in a block and hands nothing on: shows that it can be read. */
  check(head: BlockHead): Promise<void>;
  /**
   * Calls for what was not there, to be made together with the next look at the head: then one backend
   * answers all of it.
   */
  earlyCalls(): readonly RpcCall[];
  /** Forgets blocks above this one, which were never there. */
  forgetAbove(number: number): void;
}

/** Creates it, at no block yet. */
export function createBlockWalk(deps: {
  readonly chain: Chain;
  readonly log: Log;
  readonly listener: BlockListener;
  isStopping(): boolean;
}): BlockWalk {
  const { chain, log, listener } = deps;
  const { chainId } = chain.network;
  const known = new Map<number, Hex>();
  const logs = createBlockLogs(chain, log);
  let position: number | undefined;
  let stepBlocks = stepBlocksFirst;
  /** Blocks that were handed on without logs that their receipts hold, by hash. */
  const lacking = new Map<Hex, BlockHead>();
  /**
   * Headers that were read in this look and whose blocks were not handed on yet, by number. None
   * outlives its look: the chain may have been reorganised since.
   */
  const ahead = new Map<number, BlockHead>();
  /** What was not there yet: logs by block hash, and headers by number. */
  let awaitedLogs: readonly Hex[] = [];
  let awaitedHeaders: readonly number[] = [];

  function remember({ number, hash }: Pick<BlockHead, "number" | "hash">): void {
    known.set(number, hash);
    // All of them: where blocks are passed over, numbers are left out.
    for (const old of known.keys()) if (old <= number - rememberedBlocks) known.delete(old);
    position = number;
  }

  async function walkTo(walked: WalkedHead): Promise<boolean> {
    const { head } = walked;
    ahead.clear();
    const earlyLogs = takeEarly(walked.early);
    for (const number of ahead.keys()) if (number >= head.number) ahead.delete(number);
    const last = ahead.get(head.number - 1);
    // They belong to another fork than the head.
    if (last && last.hash !== head.parentHash) ahead.clear();
    // So that the one after the last known block tells whether the chain has parted.
    const from = (position ?? head.number) + 1;
    if (from < head.number)
      await readUpTo(from, Math.min(head.number, from + stepBlocks - 1), head);
    let next = await firstDifferent(head);
    let isWhole = true;
    while (isWhole && next <= head.number && !deps.isStopping()) {
      const lastFar = Math.min(walked.finalizedNumber, head.number - nearBlocks);
      const isFar = lastFar - next >= nearBlocks && (await walkRange(next, lastFar));
      if (!isFar) isWhole = await walkStep(next, walked, earlyLogs);
      next = (position ?? head.number) + 1;
    }
    await handOnLate();
    return isWhole && next > head.number;
  }

  /** Takes the headers among early replies; returns the logs, by block hash. */
  function takeEarly(replies: WalkedHead["early"]) {
    for (const answer of replies.slice(awaitedLogs.length)) {
      const block = answer?.ok ? findHeader(answer.result) : undefined;
      if (block) ahead.set(block.number, block);
    }
    const early = new Map(awaitedLogs.map((hash, index) => [hash, replies[index]] as const));
    awaitedLogs = [];
    awaitedHeaders = [];
    return early;
  }

  /** Tries blocks whose logs were lacking again, oldest first. */
  async function handOnLate(): Promise<void> {
    for (const [hash, block] of lacking) {
      // Another block took its place, and was read instead.
      if ((known.get(block.number) ?? hash) !== hash) lacking.delete(hash);
    }
    const blocks = [...lacking.values()].slice(0, lateBlocksMax);
    const read = await logs.read(blocks);
    for (const [index, { events, isWhole }] of read.entries()) {
      const block = blocks[index];
      if (!block) continue;
      if (isWhole) {
        await listener.onBlock({ ...block, events, wallets: new Map(), isHead: false });
      }
      lacking.delete(block.hash);
      // Those that still lack them come after the others the next time.
      if (!isWhole) lacking.set(block.hash, block);
    }
  }

  function noteLacking(block: BlockHead): void {
    lacking.set(block.hash, block);
    if (lacking.size === 1) {
      log.error(
        { event: "logs_lacking", chainId, blockNumber: block.number },
        "RPC endpoint's logs lack authorizations that its receipts hold; payments are told once they come",
      );
    }
    const [oldest] = lacking.keys();
    if (lacking.size > lackingMax && oldest !== undefined) lacking.delete(oldest);
  }

  /** Reads final blocks as one range. Returns whether the endpoint gives it. */
  async function walkRange(from: number, finalBlock: number): Promise<boolean> {
    const blocks = await readBlockRange(chain, from, finalBlock);
    for (const { block, events } of blocks) {
      checkParent(block);
      await handOn(block, events, { wallets: new Map(), isHead: false });
    }
    return blocks.length > 0;
  }

  /** Reads some blocks one by one. Returns whether all of them were there. */
  async function walkStep(
    from: number,
    { head, wallets }: WalkedHead,
    early: ReadonlyMap<Hex, RpcAnswer | undefined>,
  ): Promise<boolean> {
    const last = Math.min(head.number, from + stepBlocks - 1);
    const size = stepBlocks;
    // Until the step is done: what fails is tried again in smaller ones.
    stepBlocks = Math.max(1, Math.floor(size / 2));
    const heads = await readUpTo(from, last, head);
    const read = await logs.read(heads, early);
    awaitedLogs = heads.slice(read.length).map(({ hash }) => hash);
    for (const [index, block] of heads.slice(0, read.length).entries()) {
      checkParent(block);
      const { events = [], isWhole = false } = read[index] ?? {};
      await handOn(block, events, { wallets, isHead: block.number === head.number });
      if (!isWhole) noteLacking(block);
    }
    // Again by number too: another fork may be there by then, and these logs never come.
    awaitedHeaders = numbersBetween(from + read.length, Math.min(last, head.number - 1));
    const isWhole = read.length === last - from + 1;
    if (isWhole) stepBlocks = Math.min(stepBlocksMax, size * 2);
    return isWhole;
  }

  async function handOn(
    block: BlockHead,
    events: readonly AuthorizationEvent[],
    rest: { readonly wallets: ReadonlyMap<string, WalletState>; readonly isHead: boolean },
  ): Promise<void> {
    await listener.onBlock({ ...block, ...rest, events });
    remember(block);
    ahead.delete(block.number);
  }

  /** Whether what comes after a block, as far as it was read, fits to what is known of it. */
  function standsOnKnown(head: BlockHead, number: number): boolean {
    const next = number + 1 === head.number ? head : ahead.get(number + 1);
    return next !== undefined && next.parentHash === known.get(number);
  }

  /** Headers of blocks up to the last one that the node shows; each is read once in a look. */
  async function readUpTo(from: number, to: number, head: BlockHead): Promise<BlockHead[]> {
    const numbers = numbersBetween(from, to);
    const missing = numbers.filter((number) => number !== head.number && !ahead.has(number));
    const read = missing.length === 0 ? [] : await readHeaders(chain, missing);
    for (const block of read) ahead.set(block.number, block);
    const heads: BlockHead[] = [];
    for (const number of numbers) {
      const block = number === head.number ? head : ahead.get(number);
      const before = heads.at(-1);
      if (!block) break;
      if (before && before.hash !== block.parentHash) {
        // One of the two is of another fork, and nothing shows which.
        for (const doubtful of [before.number, number]) ahead.delete(doubtful);
        heads.pop();
        break;
      }
      heads.push(block);
    }
    return heads;
  }

  /** Endpoints on two forks must not be taken for one chain: the next look finds where they part. */
  function checkParent({ number, parentHash }: BlockHead): void {
    const parent = known.get(number - 1);
    if (parent === undefined || parent === parentHash) return;
    ahead.clear();
    throw new Fault("rpc_unavailable", "The endpoint's blocks do not follow those seen before");
  }

  /** The first block to read: one after the last, or where the chain parted from what we saw. */
  async function firstDifferent(head: BlockHead): Promise<number> {
    const start = Math.min(position ?? head.number - 1, head.number);
    let number = start;
    while (known.has(number) && !standsOnKnown(head, number)) {
      const hash = number === head.number ? head.hash : (await readHeader(chain, number)).hash;
      if (hash === known.get(number)) break;
      number--;
    }
    if (number < start) {
      log.warn({ chainId, fromBlock: number + 1, head: head.number }, "Chain reorganised");
      ahead.clear();
      const gone = [...known].filter(([later]) => later > number);
      const hashes = gone.map(([, hash]) => hash);
      await listener.onReorganisation(number + 1, hashes);
      for (const [later] of gone) known.delete(later);
      for (const [hash, block] of lacking) if (block.number > number) lacking.delete(hash);
      // Whatever stops the walk that follows, these blocks are still to be read.
      position = number;
    }
    return number + 1;
  }

  return {
    position: () => position,
    hashAt: (number) => known.get(number),
    lackingLogs: () => lacking.size,
    passTo: (head) => {
      awaitedLogs = [];
      awaitedHeaders = [];
      ahead.clear();
      lacking.clear();
      remember(head);
    },
    walkTo,
    async check(head) {
      await logs.read([head]);
    },
    earlyCalls: () => [...awaitedLogs.map(logs.callFor), ...awaitedHeaders.map(headerCall)],
    forgetAbove(number) {
      awaitedLogs = [];
      awaitedHeaders = [];
      ahead.clear();
      for (const later of known.keys()) if (later > number) known.delete(later);
      [position] = [...known.keys()].toSorted((one, other) => other - one);
    },
  };
}

function numbersBetween(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
