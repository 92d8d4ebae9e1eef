/**
 * Looks at settlements that are open for longer than blocks and endpoints explain, says so, and
 * settles again what no open transaction carries. Nothing waits without a word until it expires.
 */
import type { ChainId } from "@farthing/protocol";
import { warning, type Runtime } from "../base/log.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { OutcomeTracker } from "./outcome-tracker.ts";
import type { Recovery } from "./recovery.ts";

/** Thirty blocks. At the slowest endpoints that were measured, 95 % have their outcome in 15 s. */
const waitsLongMs = 60_000;

/** Between two looks that find something. */
const lookPauseMs = 60_000;

/** Settlements of one look, the oldest first. */
const requeuedMax = 200;

export interface WaitingWatchDeps extends Runtime {
  readonly chainId: ChainId;
  readonly outcomes: Pick<OutcomeTracker, "listUndecided">;
  readonly relayer: Pick<Relayer, "problem">;
  readonly recovery: Pick<Recovery, "requeueWaiting">;
}

/** The returned function is called with each block. */
export function createWaitingWatch(deps: WaitingWatchDeps): () => Promise<void> {
  const { chainId, clock, log, outcomes, relayer, recovery } = deps;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  return async () => {
    const now = clock.nowMs();
    if (Math.abs(now - lookedAtMs) < lookPauseMs) return;
    const waiting = outcomes
      .listUndecided()
      .filter(({ createdAt }) => now - createdAt > waitsLongMs)
      .toSorted((one, other) => one.createdAt - other.createdAt);
    const [oldest] = waiting;
    if (!oldest) return;
    lookedAtMs = now;
    const submitted = waiting.filter(({ state }) => state === "submitted");
    const fields = {
      settlements: waiting.length,
      submitted: submitted.length,
      settlementId: oldest.id,
      oldestSeconds: Math.round((now - oldest.createdAt) / 1_000),
      problem: relayer.problem(),
    };
    log.warn(
      { event: "settlements_waiting", chainId, ...fields },
      "Settlements open for more than a minute",
    );
    // What fails becomes due, and is repeated with the next block.
    const failed = { event: "recovery_failed", chainId };
    await recovery
      .requeueWaiting(submitted.slice(0, requeuedMax).map(({ id }) => id))
      .catch(warning(log, failed, "Recovery failed; retrying with the next block"));
  };
}
