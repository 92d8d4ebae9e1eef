/**
 * Money that moves after a failure is said to have moved (decision 5). For a minute the blocks tell
 * it at once; after that a list in the store is gone through, in groups and ever more rarely, until
 * the authorization has expired.
 */
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { ChainView } from "../chain/block-follower.ts";
import type { Chain } from "../chain/chain.ts";
import { payerNonceKey, type Settlement } from "../model/settlement.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import { isAuthorizedTransfer, type Evidence, type Found } from "./chain-proofs.ts";

/** How long the blocks are read for a failure: payers who can pay after all mostly do so at once. */
const closelyMs = 60_000;

/** Failures that blocks are read for at most; the list has the others too. */
const closelyMax = 1_000;

/** Pause between looks into the list, which is one statement while nothing is due. */
const lookMs = 10_000;

/** Pause after a look that failed: the node or the database is away. */
const failurePause: BackOffBounds = { minMs: lookMs, maxMs: 300_000 };

/** Failures of one look: one question to the node for each hundred. */
const lookMax = 500;

/** How far back failures of an earlier version are taken into the list, which it did not have. */
const earlierMs = 24 * 60 * 60 * 1000;

/** The watch over a network's failures. */
export interface FailureWatch {
  /** A settlement failed. */
  add(settlement: Settlement): void;
  /** It moved on. */
  remove(settlement: Settlement): void;
  /** A failure whose authorization this is, while blocks are read for it. */
  find(key: string): Settlement | undefined;
  /** Whether blocks are read for failures. */
  isClose(): boolean;
  /** Begins to go through the list. */
  start(): void;
  stop(): Promise<void>;
}

/** What the watch works with. */
export interface FailureWatchDeps {
  readonly chain: Pick<Chain, "network">;
  readonly store: Pick<
    EngineStore,
    "takeFailuresToLookAt" | "endFailureWatches" | "watchFailedSince"
  >;
  readonly clock: Clock;
  readonly log: Log;
  readonly evidence: Pick<Evidence, "lookUp">;
  view(): ChainView | undefined;
  conclude(found: readonly Found[]): Promise<void>;
}

/** Creates the watch of a network. */
export function createFailureWatch(deps: FailureWatchDeps): FailureWatch {
  const { store, clock, log } = deps;
  const { chainId } = deps.chain.network;
  /** By payer and nonce, oldest first. */
  const close = new Map<string, { readonly settlement: Settlement; readonly untilMs: number }>();
  const stopping = new AbortController();
  let going: Promise<void> | undefined;

  function forgetOld(): void {
    const now = clock.nowMs();
    for (const [key, { untilMs }] of close) {
      if (untilMs > now && close.size <= closelyMax) return;
      close.delete(key);
    }
  }

  async function look(): Promise<void> {
    for (let taken = lookMax; taken === lookMax && !stopping.signal.aborted;) {
      const view = deps.view();
      if (!view) return;
      const due = await store.takeFailuresToLookAt(chainId, lookMax, clock.nowMs());
      taken = due.length;
      if (taken > 0) await lookAt(due, view);
    }
  }

  async function lookAt(due: readonly Settlement[], { head, finalized }: ChainView): Promise<void> {
    const { found, unused } = await deps.evidence.lookUp(due, head.number);
    await deps.conclude(
      found.filter(({ event, settlement }) => isAuthorizedTransfer(event, settlement)),
    );
    // Gone for good: it was canceled or used for another transfer, or its time is over.
    const lost = found.filter(
      ({ event, settlement }) =>
        !isAuthorizedTransfer(event, settlement) && event.blockNumber <= finalized.number,
    );
    const over = unused.filter(({ validBefore }) => finalized.time >= validBefore);
    const ended = [...lost.map(({ settlement }) => settlement), ...over];
    await store.endFailureWatches(ended.map(({ id }) => id));
  }

  /** Tries a step that later steps make up for; returns whether it succeeded. */
  async function orLater(step: () => Promise<unknown>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      log.warn(
        { event: "failures_not_looked_at", chainId, problem: messageOf(error) },
        "Failed settlements could not be looked at; they are with a later look",
      );
      return false;
    }
  }

  async function run(): Promise<void> {
    const since = clock.nowMs() - earlierMs;
    let hasEarlier = false;
    let failures = 0;
    while (!stopping.signal.aborted) {
      hasEarlier ||= await orLater(() => store.watchFailedSince(chainId, since, clock.nowMs()));
      const hasLooked = await orLater(look);
      failures = hasEarlier && hasLooked ? 0 : failures + 1;
      await clock.sleep(Math.max(lookMs, backOffMs(failures, failurePause)), stopping.signal);
    }
  }

  return {
    add(settlement) {
      const key = payerNonceKey(settlement.payer, settlement.nonce);
      close.delete(key);
      close.set(key, { settlement, untilMs: clock.nowMs() + closelyMs });
      forgetOld();
    },
    remove: ({ payer, nonce }) => void close.delete(payerNonceKey(payer, nonce)),
    find: (key) => close.get(key)?.settlement,
    isClose() {
      forgetOld();
      return close.size > 0;
    },
    start() {
      going ??= run();
    },
    async stop() {
      stopping.abort();
      await going;
    },
  };
}
