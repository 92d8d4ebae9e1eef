/**
 * Follows the chain: the one place that polls, so that no payment does. Each new block is reported
 * once, in order, with the token's authorization events in it; a block that replaces one already
 * reported is announced as a reorganisation first. While nobody waits for a block the follower
 * only looks at the head now and then.
 */
import { steadyClockOf, type Clock } from "../base/clock.ts";
import { Fault, messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { headerCall, headerOf, type BlockHead } from "./block-headers.ts";
import { createBlockWalk } from "./block-walk.ts";
import type { Chain } from "./chain.ts";
import {
  conditionCalls,
  readConditions,
  readDeepBlock,
  type Conditions,
  type WantedConditions,
} from "./chain-conditions.ts";
import type {
  BlockInterest,
  BlockListener,
  ChainView,
  Finalized,
  WalletState,
} from "./chain-view.ts";
import { createClockSkew } from "./clock-skew.ts";
import { createHeadBelief } from "./head-belief.ts";
import { createLookPace, type LookResult } from "./look-pace.ts";
import type { RpcAnswer } from "./rpc-endpoint.ts";

export type { BlockHead } from "./block-headers.ts";
export type {
  BlockInterest,
  BlockListener,
  ChainView,
  Finalized,
  FollowedBlock,
  WalletState,
} from "./chain-view.ts";

/** A running follower. */
export interface BlockFollower {
  /** The latest view; undefined until the first reply. */
  view(): ChainView | undefined;
  /** Something was sent, or is to be waited for from now on. */
  wake(): void;
  /** A payment is being verified: the head should be new when it is sent. */
  attend(): void;
  /** Resolves with the first view, once the chain has answered. Rejects when it is stopped before. */
  ready(): Promise<ChainView>;
  /** Waits for what is being done and ends. */
  stop(): Promise<void>;
}

/** Pause between looks at all endpoints: two block periods; two minutes with nothing open. */
const probeMs = 4_000;
const idleProbeMs = 120_000;

/**
 * Between reads of the gas price and of all wallets with nothing open: only other software changes
 * those, and XDC's price hardly changes. And while something is open, where the first such read waits
 * as long: most payments are confirmed before.
 */
const idleConditionsMs = 60_000;
const openConditionsMs = 10_000;

/** Blocks after which what was sent now can be final at the earliest, by XDC's rule. */
const finalityBlocks = 2;

/** What a follower works with. */
export interface FollowerOptions {
  readonly chain: Chain;
  readonly clock: Clock;
  readonly log: Log;
  readonly listener: BlockListener;
  /** Wallets whose transaction counts and balances are read now and then. */
  readonly wallets: readonly string[];
  /** Those of them that must be read with a head: what they have sent is late then, or was refused. */
  lateWallets(headNumber: number): ReadonlySet<string>;
  /** What waits for blocks right now. */
  interest(): BlockInterest;
}

/** Starts following. */
export function startBlockFollower(options: FollowerOptions): BlockFollower {
  const { chain, clock, log, listener, interest } = options;
  /** For all that lasts; the other one is the time of day, as of blocks. */
  const steady = steadyClockOf(clock);
  const { chainId } = chain.network;
  const stopping = new AbortController();
  const walk = createBlockWalk({ chain, log, listener, isStopping: () => stopping.signal.aborted });
  const belief = createHeadBelief(chain);
  const skew = createClockSkew({ chainId, log });
  const pace = createLookPace();
  const ready = Promise.withResolvers<ChainView>();
  let wakeUp = new AbortController();
  let view: SeenChain | undefined;
  let wasAwaited = false;
  /** Since when something waits for blocks, and the head of that time. */
  let open = nothingOpen;
  /** When the gas price was read last, and with it everything that was due. */
  let conditionsAtMs = Number.NEGATIVE_INFINITY;
  /** The head with which finality was read last; read seldom where calls are counted. */
  let finalityAtNumber = 0;
  /** Wallets read since the last head was handed on. */
  let freshWallets = new Map<string, WalletState>();

  async function look(): Promise<LookResult> {
    const expected = wantedConditions(view ? view.head.number + 1 : 0);
    const early = walk.earlyCalls();
    const asked = [headerCall("latest"), ...early, ...conditionCalls(expected)];
    const [latest, ...replies] = await chain.read(asked);
    const head = headerOf(latest);
    // Asked after the head was read: what is sent later cannot be in this head.
    const isAwaited = noteInterest();
    const isNew = !isBehind(head);
    if (isNew) await belief.check(head, steady.nowMs());
    else if (belief.noteOlder(head, steady.nowMs())) forgetHead(head);
    const read = readConditions(expected, replies.slice(early.length), head);
    const known = await takeIn(head, isNew, isNew ? await addMissing(read, expected, head) : read);
    const isRead = await handOn(known, {
      isNew,
      isAwaited: isAwaited || wasAwaited,
      mustCheck: expected.gasPrice && isNew,
      early: replies.slice(0, early.length),
    });
    wasAwaited = isAwaited;
    if (!isRead) return "part";
    return isNew ? "found" : "nothing";
  }

  /** What has to be known when a block of this number is the head. */
  function wantedConditions(headNumber: number): WantedConditions {
    const nowMs = steady.nowMs();
    const isOpen = interest() !== "none";
    const dueMs = isOpen
      ? Math.max(conditionsAtMs, open.sinceMs) + openConditionsMs
      : conditionsAtMs + idleConditionsMs;
    const isAllDue = !view || view.unread !== undefined || nowMs >= dueMs;
    const late = options.lateWallets(headNumber);
    const { countsCalls } = chain.limitsInUse();
    const finalFrom = Math.max(
      open.atNumber + finalityBlocks + 1,
      finalityAtNumber + (countsCalls ? finalityBlocks + 1 : 1),
    );
    return {
      finality: isAllDue || late.size > 0 || (isOpen && headNumber >= finalFrom),
      gasPrice: isAllDue || late.size > 0,
      wallets: isAllDue ? options.wallets : options.wallets.filter((wallet) => late.has(wallet)),
    };
  }

  /** Reads what the head itself makes necessary: it may be more than a block ahead of the last one. */
  async function addMissing(
    read: Conditions,
    expected: WantedConditions,
    head: BlockHead,
  ): Promise<Conditions> {
    const wanted = wantedConditions(head.number);
    const missing: WantedConditions = {
      finality: wanted.finality && !expected.finality,
      gasPrice: wanted.gasPrice && !expected.gasPrice,
      wallets: wanted.wallets.filter((wallet) => !expected.wallets.includes(wallet)),
    };
    const calls = conditionCalls(missing);
    if (calls.length === 0) return read;
    const more = readConditions(missing, await chain.read(calls), head);
    return {
      finalized: read.finalized ?? more.finalized,
      lacksFinality: read.lacksFinality || more.lacksFinality,
      gasPrice: read.gasPrice ?? more.gasPrice,
      wallets: new Map([...read.wallets, ...more.wallets]),
    };
  }

  /** Notes since when something waits for blocks; returns whether something does. */
  function noteInterest(): boolean {
    if (interest() === "none") {
      open = nothingOpen;
      return false;
    }
    if (open === nothingOpen) open = { sinceMs: steady.nowMs(), atNumber: view?.head.number ?? 0 };
    return true;
  }

  /** Makes the view of what was read, before anybody is told of blocks. Returns it. */
  async function takeIn(head: BlockHead, isNew: boolean, read: Conditions): Promise<SeenChain> {
    const nowMs = steady.nowMs();
    const gasPrice = read.gasPrice ?? view?.gasPrice;
    if (gasPrice === undefined) throw new Fault("rpc_unavailable", "The node says no gas price");
    if (read.gasPrice !== undefined) conditionsAtMs = nowMs;
    if (read.finalized) finalityAtNumber = head.number;
    for (const [wallet, state] of read.wallets) freshWallets.set(wallet, state);
    const seen = view?.finalized;
    const mustGoDeep = isNew && (read.lacksFinality || !seen);
    const final = read.finalized ?? (mustGoDeep ? await readDeepBlock(chain, head) : seen);
    if (isNew) {
      if (view) skew.note(head.time, clock.nowMs());
      belief.note(head, nowMs);
      pace.noteHead(head, clock.nowMs());
    }
    const clockSkewSeconds = skew.seconds();
    view = {
      ...view,
      head: isNew || !view ? head : view.head,
      // A backend that lags may show an older final block; final stays final.
      finalized: newerOf(seen, final),
      gasPrice,
      wallets: new Map([...(view?.wallets ?? []), ...read.wallets]),
      seenAtMs: isNew || !view ? nowMs : view.seenAtMs,
      walkedTo: walk.position() ?? head.number,
      ...(clockSkewSeconds !== undefined && { clockSkewSeconds }),
    };
    ready.resolve(viewAt(view, steady.nowMs()));
    return view;
  }

  /** Hands on blocks up to the head; returns whether all were there. What fails is seen in the view. */
  async function handOn(known: SeenChain, how: HandingOn): Promise<boolean> {
    try {
      const isRead = await passOrWalk(known, how);
      noteUnread(isRead ? lackingLogs() : "blocks come without their logs");
      return isRead;
    } catch (error) {
      noteUnread(error instanceof Fault ? error.message : "an error of this program, see the log");
      throw error;
    }
  }

  async function passOrWalk({ head, finalized }: SeenChain, how: HandingOn): Promise<boolean> {
    const at = walk.position();
    // With nobody waiting, blocks may be passed over: whoever starts to wait searches the past for
    // itself. The block on which waiting began is read in full.
    if (at === undefined || !how.isAwaited) {
      // First: whoever searches the past up to this head relies on the blocks after it.
      if (how.isNew) walk.passTo(head);
      if (how.mustCheck) await walk.check(head);
      return true;
    }
    if (!how.isNew && at === head.number && walk.lackingLogs() === 0) return true;
    const { early } = how;
    const wallets = freshWallets;
    const isRead = await walk.walkTo({ head, finalizedNumber: finalized.number, wallets, early });
    if (isRead) freshWallets = new Map();
    return isRead;
  }

  function lackingLogs(): string | undefined {
    const blocks = walk.lackingLogs();
    return blocks > 0 ? `the logs of ${blocks} blocks lack what their receipts hold` : undefined;
  }

  function noteUnread(problem: string | undefined): void {
    if (!view) return;
    const { unread, ...rest } = view;
    const sinceMs = unread?.sinceMs ?? steady.nowMs();
    const walkedTo = walk.position() ?? rest.head.number;
    view = { ...rest, walkedTo, ...(problem !== undefined && { unread: { sinceMs, problem } }) };
  }

  /** A node behind the one asked before shows an older block of the same chain: no news. */
  function isBehind(head: BlockHead): boolean {
    if (!view || head.number > view.head.number) return false;
    if (head.hash === view.head.hash) return true;
    const seen = walk.hashAt(head.number);
    return seen === undefined ? head.number < view.head.number : seen === head.hash;
  }

  /** The head that was believed is not there any more, and never was. */
  function forgetHead(head: BlockHead): void {
    if (!view) return;
    log.warn(
      { event: "head_forgotten", chainId, forgotten: view.head.number, head: head.number },
      "Head forgotten; no endpoint shows it any more",
    );
    walk.forgetAbove(head.number);
    finalityAtNumber = 0;
    belief.note(head, steady.nowMs());
    const isFinalThere = view.finalized.number <= head.number;
    const finalized = isFinalThere ? view.finalized : nothingFinal;
    view = { ...view, head, finalized, seenAtMs: steady.nowMs() };
  }

  let probedAtMs = Number.NEGATIVE_INFINITY;

  /** With several endpoints, where each of them stands: a read alone shows only the one it used. */
  function probeNowAndThen(): void {
    const nowMs = steady.nowMs();
    const isQuiet = interest() === "none" && !pace.isAttentive(clock.nowMs());
    if (chain.endpoints.length < 2) return;
    if (nowMs - probedAtMs < (isQuiet ? idleProbeMs : probeMs)) return;
    probedAtMs = nowMs;
    void chain.probe();
  }

  async function tryToLook(): Promise<LookResult> {
    try {
      return await look();
    } catch (error) {
      log.warn({ chainId, problem: messageOf(error) }, "Could not follow the chain");
      return "failed";
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      probeNowAndThen();
      const result = await tryToLook();
      pace.noteLook(result, interest(), clock.nowMs());
      await rest();
    }
  }

  /** Rests until the next look; woken meanwhile, until that one is due for what is new. */
  async function rest(): Promise<void> {
    let pauseMs = pace.pauseMs(interest(), clock.nowMs());
    while (pauseMs > 0 && !stopping.signal.aborted) {
      wakeUp = new AbortController();
      await clock.sleep(pauseMs, AbortSignal.any([stopping.signal, wakeUp.signal]));
      if (!wakeUp.signal.aborted) return;
      pauseMs = pace.wokenPauseMs(interest(), clock.nowMs());
    }
  }

  ready.promise.catch(() => undefined);
  const running = run();
  return {
    view: () => view && viewAt(view, steady.nowMs()),
    ready: () => ready.promise,
    wake: () => wakeUp.abort(),
    attend() {
      if (pace.noteAttention(clock.nowMs())) wakeUp.abort();
    },
    stop: async () => {
      stopping.abort();
      ready.reject(new Fault("rpc_unavailable", "The chain had not answered yet"));
      await running;
    },
  };
}

/** What was seen of the chain, with times that never go back. */
interface SeenChain extends Omit<ChainView, "seenSecondsAgo" | "unread"> {
  readonly seenAtMs: number;
  readonly unread?: { readonly sinceMs: number; readonly problem: string };
}

function viewAt({ seenAtMs, unread, ...seen }: SeenChain, nowMs: number): ChainView {
  const seenSecondsAgo = (nowMs - seenAtMs) / 1_000;
  if (!unread) return { ...seen, seenSecondsAgo };
  const { sinceMs, problem } = unread;
  return { ...seen, seenSecondsAgo, unread: { seconds: (nowMs - sinceMs) / 1_000, problem } };
}

/** How blocks are handed on. */
interface HandingOn {
  /** Whether the head was not seen before. */
  readonly isNew: boolean;
  /** Whether something waits for what is in the blocks. */
  readonly isAwaited: boolean;
  /** Whether to look that the head could be read, also when nothing waits. */
  readonly mustCheck: boolean;
  /** What came with the head of what was not there before. */
  readonly early: readonly RpcAnswer[];
}

function newerOf(seen: Finalized | undefined, final: Finalized | undefined): Finalized {
  const { number, time } = final ?? nothingFinal;
  return seen && seen.number >= number ? seen : { number, time };
}

/** The time at which something began to wait for blocks. */
interface OpenSince {
  readonly sinceMs: number;
  readonly atNumber: number;
}

const nothingOpen: OpenSince = {
  sinceMs: Number.POSITIVE_INFINITY,
  atNumber: Number.POSITIVE_INFINITY,
};

const nothingFinal: Finalized = { number: 0, time: 0n };
