/**
 * How long the follower rests between its looks at the head: by what waits for a block, and ever
 * longer while looks fail.
 */
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import { createSteadyTime } from "../base/clock.ts";
import { createBlockCadence } from "./block-cadence.ts";
import type { BlockHead } from "./block-headers.ts";
import type { BlockInterest } from "./chain-view.ts";
import { createLookBudget } from "./look-budget.ts";

/** Pause with nothing open: four looks a minute leave two requests for everything else. */
export const idlePauseMs = 15_000;

/**
 * Pause while payments are verified or wait for finality: one block period, so that the head is new
 * when a payment is sent.
 */
export const watchfulPauseMs = 2_000;

/** How long verifications keep it at that: a buyer's settle follows within seconds. */
const attentionMs = 10_000;

/**
 * Pause after a look that failed: an outcome is told soon after the endpoint is well again, and one
 * that is down is asked a dozen times a minute.
 */
const failurePause: BackOffBounds = { minMs: 500, maxMs: 5_000 };

/** Pause after a look that found blocks without their logs: it takes two requests, not one. */
const partPauseMs = 600;

/** How a look ended: a new block, nothing new, a block that is not whole yet, or a fault. */
export type LookResult = "found" | "nothing" | "part" | "failed";

/** The pace of a follower. */
export interface LookPace {
  noteHead(head: BlockHead, nowMs: number): void;
  /** Notes how a look ended, and what waited for a block meanwhile. */
  noteLook(result: LookResult, interest: BlockInterest, nowMs: number): void;
  /** A payment is being verified. Returns whether the next look is too far away for it. */
  noteAttention(nowMs: number): boolean;
  /** Whether verifications were made lately. */
  isAttentive(nowMs: number): boolean;
  /** Milliseconds until the next look, reckoned after a look. */
  pauseMs(interest: BlockInterest, nowMs: number): number;
  /** The same, reckoned when something was sent, or another thing is waited for, since. */
  wokenPauseMs(interest: BlockInterest, nowMs: number): number;
}

/** Creates it. */
export function createLookPace(): LookPace {
  const cadence = createBlockCadence();
  const budget = createLookBudget();
  /** Rests are reckoned by it, and do not grow when the time of day, as of blocks, is put back. */
  const steady = createSteadyTime();
  let failures = 0;
  let nextMs = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let attendedAtMs = Number.NEGATIVE_INFINITY;
  let wasPart = false;

  const isAttentive = (nowMs: number) => steady(nowMs) - attendedAtMs < attentionMs;

  /** Milliseconds until a look in vain can be afforded; where blocks are made on demand, any can. */
  const affordableMs = (nowMs: number) => (cadence.isOnDemand() ? 0 : budget.waitMs(steady(nowMs)));

  /** Milliseconds between two looks, or until the next block where an outcome is waited for. */
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
