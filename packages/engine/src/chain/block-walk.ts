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
import { createBlockLogs, type BlockLogs } from "./block-logs.ts";
import { readBlockRange } from "./block-ranges.ts";
import type { Chain } from "./chain.ts";
import type { BlockListener, WalletState } from "./chain-view.ts";
import { LateLogs } from "./late-logs.ts";
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

/** What a walk works with. */
export interface WalkDeps {
  readonly chain: Chain;
  readonly log: Log;
  readonly listener: BlockListener;
  isStopping(): boolean;
}

/** What a walk is told with a head. */
export interface WalkedHead {
  readonly head: BlockHead;
  readonly finalizedNumber: number;
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** Replies to {@link BlockWalk.earlyCalls}, in their order, that came with the head. */
  readonly early: readonly (RpcAnswer | undefined)[];
}

/** Hands on the blocks of one chain, from where it is first told to. */
export class BlockWalk {
  readonly #deps: WalkDeps;
  readonly #known = new Map<number, Hex>();
  readonly #logs: BlockLogs;
  readonly #late: LateLogs;
  #position: number | undefined;
  #stepBlocks = stepBlocksFirst;
  /**
   * Headers that were read in this look and whose blocks were not handed on yet, by number. None
   * outlives its look: the chain may have been reorganised since.
   */
  readonly #ahead = new Map<number, BlockHead>();
  /** What was not there yet: logs by block hash, and headers by number. */
  #awaitedLogs: readonly Hex[] = [];
  #awaitedHeaders: readonly number[] = [];

  constructor(deps: WalkDeps) {
    this.#deps = deps;
    this.#logs = createBlockLogs(deps.chain, deps.log);
    this.#late = new LateLogs(deps, this.#logs);
  }

  /** The last block that was handed on or passed over; undefined before the first. */
  position(): number | undefined {
    return this.#position;
  }

  /** The hash under which a block was handed on or passed over, while it is remembered. */
  hashAt(number: number): Hex | undefined {
    return this.#known.get(number);
  }

  /** Blocks that were handed on without logs that their receipts hold. */
  lackingLogs(): number {
    return this.#late.count();
  }

  /** Passes over all blocks up to this one: nothing waits for what is in them. */
  passTo(head: BlockHead): void {
    this.#forgetAwaited();
    this.#late.forgetAbove(Number.NEGATIVE_INFINITY);
    this.#remember(head);
  }

  /** Reads what happened in a block and hands nothing on: shows that it can be read. */
  async check(head: BlockHead): Promise<void> {
    await this.#logs.read([head]);
  }

  /**
   * Calls for what was not there, to be made together with the next look at the head: then one backend
   * answers all of it.
   */
  earlyCalls(): readonly RpcCall[] {
    return [...this.#awaitedLogs.map(this.#logs.callFor), ...this.#awaitedHeaders.map(headerCall)];
  }

  /** Forgets blocks above this one, which were never there. */
  forgetAbove(number: number): void {
    this.#forgetAwaited();
    for (const later of this.#known.keys()) if (later > number) this.#known.delete(later);
    [this.#position] = [...this.#known.keys()].toSorted((one, other) => other - one);
  }

  #forgetAwaited(): void {
    this.#awaitedLogs = [];
    this.#awaitedHeaders = [];
    this.#ahead.clear();
  }

  #remember({ number, hash }: Pick<BlockHead, "number" | "hash">): void {
    this.#known.set(number, hash);
    // All of them: where blocks are passed over, numbers are left out.
    for (const old of this.#known.keys())
      if (old <= number - rememberedBlocks) this.#known.delete(old);
    this.#position = number;
  }

  /**
   * Hands on what follows, and late this.#logs of blocks that were handed on without. Returns whether it got
   * to the head; the rest is not there yet.
   */
  async walkTo(walked: WalkedHead): Promise<boolean> {
    const { head } = walked;
    this.#ahead.clear();
    const earlyLogs = this.#takeEarly(walked.early);
    for (const number of this.#ahead.keys()) if (number >= head.number) this.#ahead.delete(number);
    const last = this.#ahead.get(head.number - 1);
    // They belong to another fork than the head.
    if (last && last.hash !== head.parentHash) this.#ahead.clear();
    // So that the one after the last known block tells whether the chain has parted.
    const from = (this.#position ?? head.number) + 1;
    if (from < head.number)
      await this.#readUpTo(from, Math.min(head.number, from + this.#stepBlocks - 1), head);
    let next = await this.#firstDifferent(head);
    let isWhole = true;
    while (isWhole && next <= head.number && !this.#deps.isStopping()) {
      const lastFar = Math.min(walked.finalizedNumber, head.number - nearBlocks);
      const isFar = lastFar - next >= nearBlocks && (await this.#walkRange(next, lastFar));
      if (!isFar) isWhole = await this.#walkStep(next, walked, earlyLogs);
      next = (this.#position ?? head.number) + 1;
    }
    await this.#late.handOn(this.#known);
    return isWhole && next > head.number;
  }

  /** Takes the headers among early replies; returns the logs, by block hash. */
  #takeEarly(replies: WalkedHead["early"]) {
    for (const answer of replies.slice(this.#awaitedLogs.length)) {
      const block = answer?.ok ? findHeader(answer.result) : undefined;
      if (block) this.#ahead.set(block.number, block);
    }
    const early = new Map(this.#awaitedLogs.map((hash, index) => [hash, replies[index]] as const));
    this.#awaitedLogs = [];
    this.#awaitedHeaders = [];
    return early;
  }

  /** Reads final blocks as one range. Returns whether the endpoint gives it. */
  async #walkRange(from: number, finalBlock: number): Promise<boolean> {
    const blocks = await readBlockRange(this.#deps.chain, from, finalBlock);
    for (const { block, events } of blocks) {
      this.#checkParent(block);
      await this.#handOn(block, events, { wallets: new Map(), isHead: false });
    }
    return blocks.length > 0;
  }

  /** Reads some blocks one by one. Returns whether all of them were there. */
  async #walkStep(
    from: number,
    { head, wallets }: WalkedHead,
    early: ReadonlyMap<Hex, RpcAnswer | undefined>,
  ): Promise<boolean> {
    const last = Math.min(head.number, from + this.#stepBlocks - 1);
    const size = this.#stepBlocks;
    // Until the step is done: what fails is tried again in smaller ones.
    this.#stepBlocks = Math.max(1, Math.floor(size / 2));
    const heads = await this.#readUpTo(from, last, head);
    const read = await this.#logs.read(heads, early);
    this.#awaitedLogs = heads.slice(read.length).map(({ hash }) => hash);
    for (const [index, block] of heads.slice(0, read.length).entries()) {
      this.#checkParent(block);
      const { events = [], isWhole = false } = read[index] ?? {};
      await this.#handOn(block, events, { wallets, isHead: block.number === head.number });
      if (!isWhole) this.#late.note(block);
    }
    // Again by number too: another fork may be there by then, and these logs never come.
    this.#awaitedHeaders = numbersBetween(from + read.length, Math.min(last, head.number - 1));
    const isWhole = read.length === last - from + 1;
    if (isWhole) this.#stepBlocks = Math.min(stepBlocksMax, size * 2);
    return isWhole;
  }

  async #handOn(
    block: BlockHead,
    events: readonly AuthorizationEvent[],
    rest: { readonly wallets: ReadonlyMap<string, WalletState>; readonly isHead: boolean },
  ): Promise<void> {
    await this.#deps.listener.onBlock({ ...block, ...rest, events });
    this.#remember(block);
    this.#ahead.delete(block.number);
  }

  /** Whether what comes after a block, as far as it was read, fits to what is known of it. */
  #standsOnKnown(head: BlockHead, number: number): boolean {
    const next = number + 1 === head.number ? head : this.#ahead.get(number + 1);
    return next !== undefined && next.parentHash === this.#known.get(number);
  }

  /** Headers of blocks up to the last one that the node shows; each is read once in a look. */
  async #readUpTo(from: number, to: number, head: BlockHead): Promise<BlockHead[]> {
    const numbers = numbersBetween(from, to);
    const missing = numbers.filter((number) => number !== head.number && !this.#ahead.has(number));
    const read = missing.length === 0 ? [] : await readHeaders(this.#deps.chain, missing);
    for (const block of read) this.#ahead.set(block.number, block);
    const heads: BlockHead[] = [];
    for (const number of numbers) {
      const block = number === head.number ? head : this.#ahead.get(number);
      const before = heads.at(-1);
      if (!block) break;
      if (before && before.hash !== block.parentHash) {
        // One of the two is of another fork, and nothing shows which.
        for (const ambiguous of [before.number, number]) this.#ahead.delete(ambiguous);
        heads.pop();
        break;
      }
      heads.push(block);
    }
    return heads;
  }

  /** Endpoints on two forks must not be taken for one chain: the next look finds where they part. */
  #checkParent({ number, parentHash }: BlockHead): void {
    const parent = this.#known.get(number - 1);
    if (parent === undefined || parent === parentHash) return;
    this.#ahead.clear();
    throw new Fault("rpc_unavailable", "The endpoint's blocks do not follow those seen before");
  }

  /** The first block to read: one after the last, or where the chain parted from what we saw. */
  async #firstDifferent(head: BlockHead): Promise<number> {
    const start = Math.min(this.#position ?? head.number - 1, head.number);
    let number = start;
    while (this.#known.has(number) && !this.#standsOnKnown(head, number)) {
      const hash =
        number === head.number ? head.hash : (await readHeader(this.#deps.chain, number)).hash;
      if (hash === this.#known.get(number)) break;
      number--;
    }
    if (number < start) {
      const { chain, log } = this.#deps;
      const { chainId } = chain.network;
      log.warn(
        { event: "chain_reorganised", chainId, fromBlock: number + 1, head: head.number },
        "Chain reorganised",
      );
      this.#ahead.clear();
      const gone = [...this.#known].filter(([later]) => later > number);
      const hashes = gone.map(([, hash]) => hash);
      await this.#deps.listener.onReorganisation(number + 1, hashes);
      for (const [later] of gone) this.#known.delete(later);
      this.#late.forgetAbove(number);
      // Whatever stops the walk that follows, these blocks are still to be read.
      this.#position = number;
    }
    return number + 1;
  }
}

function numbersBetween(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
