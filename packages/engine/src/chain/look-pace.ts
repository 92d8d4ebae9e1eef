/** The follower's pause between looks: by what waits for a block, and longer after each failure. */
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import { createSteadyTime } from "../base/clock.ts";
import { createBlockCadence } from "./block-cadence.ts";
import type { BlockHead } from "./block-headers.ts";
import type { BlockInterest } from "./chain-view.ts";
import { createLookBudget } from "./look-budget.ts";

/** With nothing open: four looks a minute leave two requests for everything else. */
export const idlePauseMs = 15_000;

/**
 * For verifications and finality: one block period keeps the head recent when a payment is sent.
 */
export const watchfulPauseMs = 2_000;

/** Verifications keep the shorter pause for this long: a buyer's settle follows within seconds. */
const attentionMs = 10_000;

/**
 * Outcomes resume soon after an endpoint recovers; one that is down is asked a dozen times a
 * minute.
 */
const failurePause: BackOffBounds = { minMs: 500, maxMs: 5_000 };

/** After a look that found blocks without logs, which takes two requests. */
const partPauseMs = 600;

/** A new block, no new block, a block that is still incomplete, or a fault. */
export type LookResult = "found" | "nothing" | "part" | "failed";

export interface LookPace {
  noteHead(head: BlockHead, nowMs: number): void;
  /** Records how a look ended, and what waited for a block meanwhile. */
  noteLook(result: LookResult, interest: BlockInterest, nowMs: number): void;
  /** A payment is being verified. Returns whether the next look is too far away for it. */
  noteAttention(nowMs: number): boolean;
  isAttentive(nowMs: number): boolean;
  /** Milliseconds until the next look, right after a look. */
  pauseMs(interest: BlockInterest, nowMs: number): number;
  /** The same when a transaction was sent, or the interest changed, since the last look. */
  wokenPauseMs(interest: BlockInterest, nowMs: number): number;
}

export function createLookPace(): LookPace {
  const cadence = createBlockCadence();
  const budget = createLookBudget();
  /** Pauses do not grow when the time of day is put back. */
  const steady = createSteadyTime();
  let failures = 0;
  let nextMs = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let attendedAtMs = Number.NEGATIVE_INFINITY;
  let wasPart = false;

  const isAttentive = (nowMs: number) => steady(nowMs) - attendedAtMs < attentionMs;

  /** Milliseconds until a poll without result is affordable; 0 where blocks are made on demand. */
  const affordableMs = (nowMs: number) => (cadence.isOnDemand() ? 0 : budget.waitMs(steady(nowMs)));

  /** Milliseconds between two looks, or until the next block while an outcome is awaited. */
  function restMs(interest: BlockInterest, nowMs: number): number {
    if (interest === "outcome") {
      const pauseMs = Math.max(cadence.pauseMs(nowMs), affordableMs(nowMs));
      return wasPart ? Math.max(partPauseMs, pauseMs) : pauseMs;
    }
    const isWatchful = interest === "finality" || isAttentive(nowMs);
    return lookedAtMs + (isWatchful ? watchfulPauseMs : idlePauseMs) - steady(nowMs);
  }

  return {
    noteHead: (head, nowMs) => cadence.noteHead(head, nowMs),
    noteLook(result, interest, nowMs) {
      lookedAtMs = steady(nowMs);
      wasPart = result === "part";
      failures = result === "failed" ? failures + 1 : 0;
      const isInVain = result === "nothing" || result === "part";
      if (!isInVain || interest !== "outcome") return;
      cadence.noteEmptyLook();
      budget.spend(lookedAtMs);
    },
    noteAttention(nowMs) {
      attendedAtMs = steady(nowMs);
      return failures === 0 && nextMs > lookedAtMs + watchfulPauseMs;
    },
    isAttentive,
    pauseMs(interest, nowMs) {
      const rest = restMs(interest, nowMs);
      const pauseMs = Math.max(rest, backOffMs(failures, failurePause), 0);
      nextMs = steady(nowMs) + pauseMs;
      return pauseMs;
    },
    wokenPauseMs(interest, nowMs) {
      const atMs = steady(nowMs);
      const left = nextMs - atMs;
      if (failures > 0) return left;
      const forSent = interest === "outcome" ? cadence.wakePauseMs(nowMs) : Infinity;
      const sentMs = Math.max(lookedAtMs + forSent - atMs, affordableMs(nowMs));
      const pauseMs = Math.min(left, restMs(interest, nowMs), sentMs);
      nextMs = atMs + pauseMs;
      return pauseMs;
    },
  };
}
