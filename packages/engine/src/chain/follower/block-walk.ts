/**
 * Reports blocks in order, each once, and the ones that were reorganised out. Advances as far as
 * the node shows complete blocks, so that a lagging backend delays only the newest ones. Blocks
 * that are final and far behind are read in ranges.
 */
import type { Hex } from "@farthing/protocol";
import { Fault } from "../../base/fault.ts";
import type { AuthorizationEvent } from "../contracts/authorization-events.ts";
import {
  findHeader,
  headerCall,
  readHeader,
  readHeaders,
  type BlockHead,
} from "../reads/block-headers.ts";
import { createBlockLogs, type BlockLogs } from "../logs/block-logs.ts";
import { readBlockRange } from "../logs/block-ranges.ts";
import type { WalletState } from "./chain-view.ts";
import { LateLogs, type LateLogsDeps } from "./late-logs.ts";
import type { RpcReply, RpcCall } from "../endpoints/rpc-endpoint.ts";

/** Blocks remembered to notice a reorganisation; XDC finalizes within a handful. */
const rememberedBlocks = 128;

/** First and largest step while catching up; each block costs a header and its logs. */
const stepBlocksFirst = 4;
const stepBlocksMax = 32;

/** Nearer blocks are read one by one, by hash, since a backend may lag this far. */
const nearBlocks = 12;

export interface WalkDeps extends LateLogsDeps {
  isStopping(): boolean;
}

export interface WalkedHead {
  readonly head: BlockHead;
  readonly finalizedNumber: number;
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** Replies to {@link BlockWalk.earlyCalls}, in their order. */
  readonly early: readonly (RpcReply | undefined)[];
}

interface EarlyLogs {
  readonly byHash: ReadonlyMap<Hex, RpcReply | undefined>;
  readonly range: readonly unknown[] | undefined;
}

export class BlockWalk {
  readonly #deps: WalkDeps;
  readonly #known = new Map<number, Hex>();
  readonly #logs: BlockLogs;
  readonly #late: LateLogs;
  #position: number | undefined;
  #stepBlocks = stepBlocksFirst;
  /** Headers read in this look and not reported yet; the next one may see a reorganisation. */
  readonly #ahead = new Map<number, BlockHead>();
  /** Missing so far: logs by block hash, and headers by number. */
  #awaitedLogs: readonly Hex[] = [];
  #awaitedHeaders: readonly number[] = [];

  constructor(deps: WalkDeps) {
    this.#deps = deps;
    this.#logs = createBlockLogs(deps.chain, deps.log);
    this.#late = new LateLogs(deps, this.#logs);
  }

  /** The last block that was reported or skipped. */
  position(): number | undefined {
    return this.#position;
  }

  /** The hash under which a block was reported or skipped, while it is remembered. */
  hashAt(number: number): Hex | undefined {
    return this.#known.get(number);
  }

  /** Number of blocks that were reported without logs that their receipts hold. */
  lackingLogs(): number {
    return this.#late.count();
  }

  passTo(head: BlockHead): void {
    this.#forgetAwaited();
    this.#late.forgetAbove(Number.NEGATIVE_INFINITY);
    this.#remember(head);
  }

  /** Shows that a block's logs can be read, without reporting them. */
  async check(head: BlockHead): Promise<void> {
    await this.#logs.read([head]);
  }

  /**
   * Calls for missing data: sent with the next look at the head, one backend answers them all. With
   * `expected` new blocks also for their headers and all logs since the last block, which saves a
   * distant node's round trips and costs calls.
   */
  earlyCalls(expected = 0): readonly RpcCall[] {
    const at = this.#position;
    const next = at === undefined ? [] : numbersBetween(at + 1, at + expected);
    this.#awaitedHeaders = [...new Set([...this.#awaitedHeaders, ...next])];
    // From the last block on: no node refuses a range that begins with a block which it has.
    const range = next.length > 0 && at !== undefined ? [this.#logs.callSince(at)] : [];
    return [
      ...this.#awaitedLogs.map(this.#logs.callFor),
      ...this.#awaitedHeaders.map(headerCall),
      ...range,
    ];
  }

  /** Forgets blocks above this one, which never existed. */
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
    // Checks all entries, since skipped blocks leave gaps.
    for (const old of this.#known.keys())
      if (old <= number - rememberedBlocks) this.#known.delete(old);
    this.#position = number;
  }

  /** Reports new blocks and late logs. Returns whether it reached the head. */
  async walkTo(walked: WalkedHead): Promise<boolean> {
    const { head } = walked;
    this.#ahead.clear();
    const earlyLogs = this.#takeEarly(walked.early);
    for (const number of this.#ahead.keys()) if (number >= head.number) this.#ahead.delete(number);
    const last = this.#ahead.get(head.number - 1);
    // These headers belong to another fork than the head.
    if (last && last.hash !== head.parentHash) this.#ahead.clear();
    // Reads ahead, so that the block after the last known one shows whether the chain forked.
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
    await this.#late.report(this.#known);
    return isWhole && next > head.number;
  }

  /** Keeps the headers among early replies; returns the logs: by block hash, and of the range. */
  #takeEarly(replies: WalkedHead["early"]): EarlyLogs {
    const logs = this.#awaitedLogs.length;
    const rangeAt = logs + this.#awaitedHeaders.length;
    for (const reply of replies.slice(logs, rangeAt)) {
      const block = reply?.ok ? findHeader(reply.result) : undefined;
      if (block) this.#ahead.set(block.number, block);
    }
    const byHash = new Map(this.#awaitedLogs.map((hash, index) => [hash, replies[index]] as const));
    this.#awaitedLogs = [];
    this.#awaitedHeaders = [];
    const range = replies[rangeAt];
    const isList = range?.ok === true && Array.isArray(range.result);
    return { byHash, range: isList ? (range.result as unknown[]) : undefined };
  }

  async #walkRange(from: number, finalBlock: number): Promise<boolean> {
    const blocks = await readBlockRange(this.#deps.chain, from, finalBlock);
    for (const { block, events } of blocks) {
      this.#checkParent(block);
      await this.#report(block, events, { wallets: new Map(), isHead: false });
    }
    return blocks.length > 0;
  }

  /** Returns whether all blocks of the step were available. */
  async #walkStep(
    from: number,
    { head, wallets }: WalkedHead,
    { byHash, range }: EarlyLogs,
  ): Promise<boolean> {
    const last = Math.min(head.number, from + this.#stepBlocks - 1);
    const size = this.#stepBlocks;
    // Halved until the step succeeds: a failed step is retried in smaller ones.
    this.#stepBlocks = Math.max(1, Math.floor(size / 2));
    const heads = await this.#readUpTo(from, last, head);
    const early = new Map(byHash);
    for (const block of range ? heads : []) {
      if (!early.get(block.hash)?.ok)
        early.set(block.hash, this.#logs.fromRange(block, range ?? []));
    }
    const read = await this.#logs.read(heads, early);
    this.#awaitedLogs = heads.slice(read.length).map(({ hash }) => hash);
    for (const [index, block] of heads.slice(0, read.length).entries()) {
      this.#checkParent(block);
      const { events = [], isWhole = false } = read[index] ?? {};
      await this.#report(block, events, { wallets, isHead: block.number === head.number });
      if (!isWhole) this.#late.note(block);
    }
    // Asks by number too: another fork may have won by then, and these logs never come.
    this.#awaitedHeaders = numbersBetween(from + read.length, Math.min(last, head.number - 1));
    const isWhole = read.length === last - from + 1;
    if (isWhole) this.#stepBlocks = Math.min(stepBlocksMax, size * 2);
    return isWhole;
  }

  async #report(
    block: BlockHead,
    events: readonly AuthorizationEvent[],
    rest: { readonly wallets: ReadonlyMap<string, WalletState>; readonly isHead: boolean },
  ): Promise<void> {
    await this.#deps.listener.onBlock({ ...block, ...rest, events });
    this.#remember(block);
    this.#ahead.delete(block.number);
  }

  /** True if the next block, as far as it was read, builds on the known one. */
  #standsOnKnown(head: BlockHead, number: number): boolean {
    const next = number + 1 === head.number ? head : this.#ahead.get(number + 1);
    return next !== undefined && next.parentHash === this.#known.get(number);
  }

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
        // One of the two belongs to another fork, and nothing shows which.
        for (const ambiguous of [before.number, number]) this.#ahead.delete(ambiguous);
        heads.pop();
        break;
      }
      heads.push(block);
    }
    return heads;
  }

  /** Endpoints on two forks must not be mixed into one chain; the next look finds the fork. */
  #checkParent({ number, parentHash }: BlockHead): void {
    const parent = this.#known.get(number - 1);
    if (parent === undefined || parent === parentHash) return;
    this.#ahead.clear();
    throw new Fault("rpc_unavailable", "The endpoint's blocks do not follow those seen before");
  }

  /** The first block to read: one after the last, or where the chain forked from what we saw. */
  async #firstDifferent(head: BlockHead): Promise<number> {
    const start = Math.min(this.#position ?? head.number - 1, head.number);
    let number = start;
    while (this.#known.has(number) && !this.#standsOnKnown(head, number)) {
      const there = number === head.number ? head : await readHeader(this.#deps.chain, number);
      if (there.hash === this.#known.get(number)) break;
      number--;
    }
    if (number < start) {
      const { chain, log } = this.#deps;
      const fields = { chainId: chain.network.chainId, fromBlock: number + 1, head: head.number };
      log.warn({ event: "chain_reorganised", ...fields }, "Chain reorganised");
      this.#ahead.clear();
      const replaced = [...this.#known].filter(([later]) => later > number);
      const hashes = replaced.map(([, hash]) => hash);
      await this.#deps.listener.onReorganisation(number + 1, hashes);
      for (const [later] of replaced) this.#known.delete(later);
      this.#late.forgetAbove(number);
      // If the following walk stops early, these blocks are still to be read.
      this.#position = number;
    }
    return number + 1;
  }
}

function numbersBetween(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
