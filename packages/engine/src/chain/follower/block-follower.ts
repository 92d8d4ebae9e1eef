/**
 * Follows the chain: the only place that polls. Each new block is reported once, in order, with the
 * token's authorization events; replaced blocks are first reported as a reorganisation. While
 * nothing waits for a block, only the head is read, at long intervals.
 */
import { steadyClockOf, waitEnded, type Clock } from "../../base/clock.ts";
import { Fault, messageOf } from "../../base/fault.ts";
import type { Log, Runtime } from "../../base/log.ts";
import { headerCall, headerOf, type BlockHead } from "../reads/block-headers.ts";
import { BlockWalk } from "./block-walk.ts";
import type { Chain } from "../endpoints/chain.ts";
import { promptly } from "../endpoints/repeats.ts";
import {
  conditionCalls,
  readConditions,
  readDeepBlock,
  type Conditions,
} from "./chain-conditions.ts";
import type {
  BlockInterest,
  BlockListener,
  ChainFacts,
  ChainView,
  Finalized,
  WalletState,
} from "./chain-view.ts";
import { createClockSkew, type ClockSkew, type Moment } from "./clock-skew.ts";
import { ConditionSchedule, type ScheduleDeps } from "./condition-schedule.ts";
import { AcceptedHead } from "./accepted-head.ts";
import { createLookPace, type LookResult } from "./look-pace.ts";
import type { RpcReply } from "../endpoints/rpc-endpoint.ts";

/** Pause between probes of all endpoints: two block periods; two minutes with nothing open. */
const probeMs = 4_000;
const idleProbeMs = 120_000;

/** From this distance on, round trips are saved at the cost of calls. */
const distantMs = 250;

/** XDC's block period, and the most blocks that one look reads in groups. */
const blockMs = 2_000;
const groupedMax = 8;

export interface FollowerOptions extends Runtime, Omit<ScheduleDeps, "nowMs"> {
  readonly listener: BlockListener;
}

export function startBlockFollower(options: FollowerOptions): BlockFollower {
  const follower = new BlockFollower(options);
  follower.start();
  return follower;
}

export class BlockFollower {
  readonly #chain: Chain;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #interest: () => BlockInterest;
  /** For durations; the other clock is the time of day, as blocks have it. */
  readonly #steady: { nowMs(): number };
  readonly #stopping = new AbortController();
  readonly #walk: BlockWalk;
  readonly #accepted: AcceptedHead;
  readonly #skew: ClockSkew;
  readonly #pace = createLookPace();
  readonly #schedule: ConditionSchedule;
  readonly #ready = Promise.withResolvers<ChainView>();
  #running: Promise<void> = Promise.resolve();
  #wakeUp = new AbortController();
  #seen: SeenChain | undefined;
  #wasAwaited = false;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  #freshWallets = new Map<string, WalletState>();

  constructor(options: FollowerOptions) {
    const { chain, clock, log, listener } = options;
    this.#chain = chain;
    this.#clock = clock;
    this.#log = log;
    this.#interest = () => options.interest();
    this.#steady = steadyClockOf(clock);
    const isStopping = () => this.#stopping.signal.aborted;
    this.#walk = new BlockWalk({ chain, log, listener, isStopping });
    this.#accepted = new AcceptedHead(chain);
    this.#skew = createClockSkew({ chainId: chain.network.chainId, log });
    this.#schedule = new ConditionSchedule({ ...options, nowMs: () => this.#steady.nowMs() });
    this.#ready.promise.catch(() => undefined);
  }

  start(): void {
    this.#running = this.#run();
  }

  view(): ChainView | undefined {
    return this.#seen && this.#viewOf(this.#seen);
  }

  /** The part of the view that changes with blocks only: it costs nothing to ask for each payment. */
  facts(): ChainFacts | undefined {
    return this.#seen;
  }

  /** Resolves with the first view. Rejects when the follower is stopped before. */
  ready(): Promise<ChainView> {
    return this.#ready.promise;
  }

  /** Polls sooner, because a transaction was sent or a caller began to wait. */
  wake(): void {
    this.#wakeUp.abort(waitEnded);
  }

  /** Polls sooner: a payment is being verified, and the head should be recent when it is sent. */
  attend(): void {
    if (this.#pace.noteAttention(this.#clock.nowMs())) this.#wakeUp.abort(waitEnded);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#ready.reject(new Fault("rpc_unavailable", "The chain had not answered yet"));
    await this.#running;
  }

  #viewOf(seen: SeenChain): ChainView {
    const moment = momentOf(this.#clock, this.#steady);
    // The usual latency is no silence.
    const silentMs = this.#chain.unansweredMs() - 2 * this.#chain.usualMs();
    const clockSkewSeconds = this.#skew.seconds(moment);
    return {
      ...viewAt(seen, moment.steadyMs),
      unansweredSeconds: Math.max(0, silentMs) / 1_000,
      ...(clockSkewSeconds !== undefined && { clockSkewSeconds }),
    };
  }

  async #look(): Promise<LookResult> {
    const askedMs = this.#clock.nowMs();
    const grouped = this.#groupedBlocks();
    const next = this.#seen ? this.#seen.head.number + Math.max(1, grouped) : 0;
    const expected = this.#schedule.wanted(next, this.#isEverythingDue());
    const early = this.#walk.earlyCalls(grouped);
    const asked = [headerCall("latest"), ...early, ...conditionCalls(expected)];
    const [latest, ...replies] = await this.#chain.read(asked, promptly(this.#chain));
    const head = headerOf(latest);
    // Read after the head: what is sent later cannot be in this head.
    const isAwaited = this.#schedule.noteInterest(this.#seen?.head.number ?? 0);
    const isNew = !isBehind(head, this.#seen, this.#walk);
    if (isNew) await this.#accepted.check(head, this.#steady.nowMs());
    else if (this.#accepted.noteOlder(head, this.#steady.nowMs())) this.#forgetHead(head);
    const read = readConditions(expected, replies.slice(early.length), head);
    const whole = isNew
      ? await this.#schedule.addMissing(read, expected, head, this.#isEverythingDue())
      : read;
    const known = await this.#updateView(head, whole, isNew ? askedMs : undefined);
    const isRead = await this.#report(known, {
      isNew,
      isAwaited: isAwaited || this.#wasAwaited,
      mustCheck: expected.gasPrice && isNew,
      early: replies.slice(0, early.length),
    });
    this.#wasAwaited = isAwaited;
    if (!isRead) return "part";
    return isNew ? "found" : "nothing";
  }

  /**
   * Blocks that are read in one request with the head, where round trips take long and someone waits;
   * 0 at a near node, where two requests cost nothing and fewer calls.
   */
  #groupedBlocks(): number {
    const awayMs = this.#chain.distanceMs();
    if (!this.#seen || awayMs < distantMs || this.#interest() === "none") return 0;
    const behind = this.#seen.head.number - (this.#walk.position() ?? 0);
    const sinceMs = this.#steady.nowMs() - this.#seen.seenAtMs + awayMs;
    const blocks = behind + 1 + Math.ceil(sinceMs / blockMs);
    return blocks > groupedMax ? 0 : blocks;
  }

  /** True if nothing is known yet or blocks are unread: the next read takes all conditions. */
  #isEverythingDue(): boolean {
    return this.#seen === undefined || this.#seen.unread !== undefined;
  }

  /** Updates the view before the listener receives blocks; a new head was asked for at `newAtMs`. */
  async #updateView(head: BlockHead, read: Conditions, newAtMs?: number): Promise<SeenChain> {
    const isNew = newAtMs !== undefined;
    const nowMs = this.#steady.nowMs();
    const gasPrice = read.gasPrice ?? this.#seen?.gasPrice;
    if (gasPrice === undefined) throw new Fault("rpc_unavailable", "The node says no gas price");
    this.#schedule.noteRead(read, head);
    for (const [wallet, state] of read.wallets) this.#freshWallets.set(wallet, state);
    const seen = this.#seen?.finalized;
    const mustGoDeep = isNew && (read.lacksFinality || !seen);
    const final = read.finalized ?? (mustGoDeep ? await readDeepBlock(this.#chain, head) : seen);
    if (isNew) {
      if (this.#seen) this.#skew.note(head.time, momentOf(this.#clock, this.#steady));
      this.#accepted.note(head, nowMs);
      this.#pace.noteHead(head, newAtMs, this.#chain.distanceMs());
    }
    this.#seen = {
      ...this.#seen,
      head: isNew || !this.#seen ? head : this.#seen.head,
      // A lagging backend may show an older final block; finality never goes back.
      finalized: newerOf(seen, final),
      gasPrice,
      wallets: new Map([...(this.#seen?.wallets ?? []), ...read.wallets]),
      seenAtMs: isNew || !this.#seen ? nowMs : this.#seen.seenAtMs,
      walkedTo: this.#walk.position() ?? head.number,
    };
    this.#ready.resolve(this.#viewOf(this.#seen));
    return this.#seen;
  }

  /** Reports blocks up to the head; returns whether all were there. Failures show in the view. */
  async #report(known: SeenChain, how: ReportOptions): Promise<boolean> {
    try {
      const isRead = await this.#passOrWalk(known, how);
      this.#noteUnread(isRead ? lackingLogs(this.#walk) : "blocks come without their logs");
      return isRead;
    } catch (error) {
      const isFault = error instanceof Fault;
      this.#noteUnread(isFault ? error.message : "an error of this program, see the log");
      throw error;
    }
  }

  async #passOrWalk({ head, finalized }: SeenChain, how: ReportOptions): Promise<boolean> {
    const at = this.#walk.position();
    // With no one waiting, blocks may be skipped: a caller that starts to wait searches the past
    // itself. The block on which waiting began is read in full.
    if (at === undefined || !how.isAwaited) {
      // This comes first: a search of the past up to this head relies on the blocks after it.
      if (how.isNew) this.#walk.passTo(head);
      if (how.mustCheck) await this.#walk.check(head);
      return true;
    }
    if (!how.isNew && at === head.number && this.#walk.lackingLogs() === 0) return true;
    const facts = { head, finalizedNumber: finalized.number, wallets: this.#freshWallets };
    const isRead = await this.#walk.walkTo({ ...facts, early: how.early });
    if (isRead) this.#freshWallets = new Map();
    return isRead;
  }

  #noteUnread(problem: string | undefined): void {
    if (!this.#seen) return;
    const walkedTo = this.#walk.position() ?? this.#seen.head.number;
    this.#seen = withUnread({ ...this.#seen, walkedTo }, problem, this.#steady.nowMs());
  }

  #forgetHead(head: BlockHead): void {
    if (!this.#seen) return;
    const { chainId } = this.#chain.network;
    const heads = { forgotten: this.#seen.head.number, head: head.number };
    const fields = { event: "head_forgotten", chainId, ...heads };
    this.#log.warn(fields, "Head forgotten; no endpoint shows it any more");
    this.#walk.forgetAbove(head.number);
    this.#schedule.forgetFinality();
    this.#accepted.note(head, this.#steady.nowMs());
    const isFinalThere = this.#seen.finalized.number <= head.number;
    const finalized = isFinalThere ? this.#seen.finalized : nothingFinal;
    this.#seen = { ...this.#seen, head, finalized, seenAtMs: this.#steady.nowMs() };
  }

  /** Probes all endpoints: a read shows only the state of the endpoint that it used. */
  #probeNowAndThen(): void {
    const nowMs = this.#steady.nowMs();
    const isQuiet = this.#interest() === "none" && !this.#pace.isAttentive(this.#clock.nowMs());
    if (this.#chain.endpoints.length < 2) return;
    if (nowMs - this.#probedAtMs < (isQuiet ? idleProbeMs : probeMs)) return;
    this.#probedAtMs = nowMs;
    void this.#chain.probe();
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#probeNowAndThen();
      const askedMs = this.#steady.nowMs();
      const result = await this.#look().catch((error: unknown): LookResult => {
        const { chainId } = this.#chain.network;
        const fields = { event: "chain_read_failed", chainId, problem: messageOf(error) };
        this.#log.warn(fields, "Chain read failed; retrying");
        return "failed";
      });
      // What a busy process adds to a look of a near node is no reason to look again sooner.
      const lookMs = Math.min(this.#steady.nowMs() - askedMs, this.#chain.distanceMs());
      this.#pace.noteLook(result, this.#interest(), this.#clock.nowMs(), lookMs);
      await this.#rest();
    }
  }

  /** Waits until the next look; once woken, until the earlier one that is due. */
  async #rest(): Promise<void> {
    let pauseMs = this.#pace.pauseMs(this.#interest(), this.#clock.nowMs());
    while (pauseMs > 0 && !this.#stopping.signal.aborted) {
      this.#wakeUp = new AbortController();
      const ended = AbortSignal.any([this.#stopping.signal, this.#wakeUp.signal]);
      await this.#clock.sleep(pauseMs, ended);
      if (!this.#wakeUp.signal.aborted) return;
      pauseMs = this.#pace.wokenPauseMs(this.#interest(), this.#clock.nowMs());
    }
  }
}

/** The view with times that never go back. */
interface SeenChain extends ChainFacts {
  readonly seenAtMs: number;
  readonly unread?: { readonly sinceMs: number; readonly problem: string };
}

function viewAt({ seenAtMs, unread, ...seen }: SeenChain, nowMs: number): ChainView {
  const seenSecondsAgo = (nowMs - seenAtMs) / 1_000;
  if (!unread) return { ...seen, seenSecondsAgo };
  const { sinceMs, problem } = unread;
  return { ...seen, seenSecondsAgo, unread: { seconds: (nowMs - sinceMs) / 1_000, problem } };
}

/** Keeps since when blocks are unread; without a problem none are. */
function withUnread(
  { unread, ...seen }: SeenChain,
  problem: string | undefined,
  nowMs: number,
): SeenChain {
  if (problem === undefined) return seen;
  return { ...seen, unread: { sinceMs: unread?.sinceMs ?? nowMs, problem } };
}

function momentOf(clock: Clock, steady: { nowMs(): number }): Moment {
  return { nowMs: clock.nowMs(), steadyMs: steady.nowMs() };
}

interface ReportOptions {
  readonly isNew: boolean;
  /** True if a caller waits for what is in the blocks. */
  readonly isAwaited: boolean;
  /** True if the head's logs must be read once even when no one waits. */
  readonly mustCheck: boolean;
  /** Replies to earlier requests, which came with the head. */
  readonly early: readonly RpcReply[];
}

function newerOf(seen: Finalized | undefined, final: Finalized | undefined): Finalized {
  const { number, time } = final ?? nothingFinal;
  return seen && seen.number >= number ? seen : { number, time };
}

const nothingFinal: Finalized = { number: 0, time: 0n };

/** A node behind the previously asked one shows an older block of the same chain. */
function isBehind(head: BlockHead, seen: SeenChain | undefined, walk: BlockWalk): boolean {
  if (!seen || head.number > seen.head.number) return false;
  if (head.hash === seen.head.hash) return true;
  const hash = walk.hashAt(head.number);
  return hash === undefined ? head.number < seen.head.number : hash === head.hash;
}

function lackingLogs(walk: BlockWalk): string | undefined {
  const blocks = walk.lackingLogs();
  return blocks > 0 ? `the logs of ${blocks} blocks lack what their receipts hold` : undefined;
}
