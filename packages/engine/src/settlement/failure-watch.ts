/**
 * Watches failed settlements until their authorizations expire: if the money moves after all, the
 * settlement becomes confirmed (decision 5). For a minute, each block is matched with the failure;
 * after that a stored list is polled in groups, at growing intervals.
 */
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import { warning, type Runtime } from "../base/log.ts";
import type { ChainView } from "../chain/follower/chain-view.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { payerNonceKey, type Settlement } from "../model/settlement.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import { isAuthorizedTransfer, type ProofDeps } from "./chain-proofs.ts";

/** Time that blocks are read for a failure: most payers who can pay after all do so at once. */
const closelyMs = 60_000;

/** Failures that blocks are read for; the stored list has the others too. */
const closelyMax = 1_000;

/** Pause between polls of the list, which are one statement while nothing is due. */
const pollMs = 10_000;

/** Pause after a failed poll, since the node or the database is unavailable. */
const failurePause: BackOffBounds = { minMs: pollMs, maxMs: 300_000 };

/** Failures of one poll: one request to the node for each hundred. */
const pollMax = 500;

/** Age of failures that are added to the list, which an earlier version did not write. */
const earlierMs = 24 * 60 * 60 * 1000;

export type FailureWatch = ReturnType<typeof createFailureWatch>;

interface FailureWatchDeps extends Runtime, Pick<ProofDeps, "proofs" | "conclude"> {
  readonly chain: Pick<Chain, "network">;
  readonly store: Pick<
    EngineStore,
    "takeFailuresToLookAt" | "endFailureWatches" | "watchFailedSince"
  >;
  view(): ChainView | undefined;
}

export function createFailureWatch(deps: FailureWatchDeps) {
  const { store, clock, log } = deps;
  const { chainId } = deps.chain.network;
  /** By payer and nonce, oldest first. */
  const close = new Map<string, { readonly settlement: Settlement; readonly untilMs: number }>();
  const stopping = new AbortController();
  let polling: Promise<void> | undefined;

  function forgetOld(): void {
    const now = clock.nowMs();
    for (const [key, { untilMs }] of close) {
      if (untilMs > now && close.size <= closelyMax) return;
      close.delete(key);
    }
  }

  async function poll(): Promise<void> {
    for (let taken = pollMax; taken === pollMax && !stopping.signal.aborted;) {
      const view = deps.view();
      if (!view) return;
      const due = await store.takeFailuresToLookAt(chainId, pollMax, clock.nowMs());
      taken = due.length;
      if (taken > 0) await check(due, view);
    }
  }

  async function check(due: readonly Settlement[], { head, finalized }: ChainView): Promise<void> {
    const { found, unused } = await deps.proofs.find(due, head.number);
    await deps.conclude(found.filter(isAuthorizedTransfer));
    // These never move money: canceled or used for another transfer for good, or expired.
    const lost = found
      .filter(
        (proof) => !isAuthorizedTransfer(proof) && proof.event.blockNumber <= finalized.number,
      )
      .map(({ settlement }) => settlement);
    const over = unused.filter(({ validBefore }) => finalized.time >= validBefore);
    await store.endFailureWatches([...lost, ...over]);
  }

  /** Returns whether the step succeeded; a later poll repeats it. */
  async function succeeds(step: () => Promise<unknown>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      const message = "Poll of failed settlements failed; retrying with a later one";
      warning(log, { event: "failure_poll_failed", chainId }, message)(error);
      return false;
    }
  }

  async function run(): Promise<void> {
    const since = clock.nowMs() - earlierMs;
    let hasEarlier = false;
    let failures = 0;
    while (!stopping.signal.aborted) {
      hasEarlier ||= await succeeds(() => store.watchFailedSince(chainId, since, clock.nowMs()));
      const hasPolled = await succeeds(poll);
      failures = hasEarlier && hasPolled ? 0 : failures + 1;
      await clock.sleep(Math.max(pollMs, backOffMs(failures, failurePause)), stopping.signal);
    }
  }

  return {
    add(settlement: Settlement) {
      const key = payerNonceKey(settlement);
      close.delete(key);
      close.set(key, { settlement, untilMs: clock.nowMs() + closelyMs });
      forgetOld();
    },
    remove: (settlement: Settlement) => void close.delete(payerNonceKey(settlement)),
    /** Returns the failure with this authorization while blocks are read for it. */
    find: (key: string) => close.get(key)?.settlement,
    /** Whether blocks are read for failures. */
    isClose() {
      forgetOld();
      return close.size > 0;
    },
    /** Begins to poll the list. */
    start() {
      polling ??= run();
    },
    async stop() {
      stopping.abort();
      await polling;
    },
  };
}
