/**
 * How long the follower rests between its looks at the head: by what waits for a block, and ever
 * longer while looks fail.
 */
import { createSteadyTime } from "../base/clock.ts";
import { createBlockCadence } from "./block-cadence.ts";
import type { BlockHead } from "./block-headers.ts";
import type { BlockInterest } from "./chain-view.ts";

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
 * Pause after a look that failed, doubled after each further one, up to the longest: an outcome is
 * told soon after the endpoint is well again, and one that is down is asked a dozen times a minute.
 */
const failurePauseMsMin = 500;
const failurePauseMsMax = 5_000;

/** Share of such a pause that chance adds, so that processes do not come back all at once. */
const jitterShare = 0.5;

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
  /** Rests are reckoned by it, and do not grow when the time of day, as of blocks, is put back. */
  const steady = createSteadyTime();
  let failures = 0;
  let nextMs = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let attendedAtMs = Number.NEGATIVE_INFINITY;
  let wasPart = false;

  const isAttentive = (nowMs: number) => steady(nowMs) - attendedAtMs < attentionMs;

  /** Milliseconds between two looks, or until the next block where an outcome is waited for. */
  function restMs(interest: BlockInterest, nowMs: number): number {
    if (interest === "outcome") {
      return wasPart ? Math.max(partPauseMs, cadence.pauseMs(nowMs)) : cadence.pauseMs(nowMs);
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
      if (isInVain && interest === "outcome") cadence.noteEmptyLook();
    },
    noteAttention(nowMs) {
      attendedAtMs = steady(nowMs);
      return failures === 0 && nextMs > lookedAtMs + watchfulPauseMs;
    },
    isAttentive,
    pauseMs(interest, nowMs) {
      const rest = restMs(interest, nowMs);
      const longest = Math.min(failurePauseMsMax, failurePauseMsMin * 2 ** (failures - 1));
      const backOff = failures > 0 ? longest * (1 + Math.random() * jitterShare) : 0;
      const pauseMs = Math.max(rest, backOff, 0);
      nextMs = steady(nowMs) + pauseMs;
      return pauseMs;
    },
    wokenPauseMs(interest, nowMs) {
      const atMs = steady(nowMs);
      const left = nextMs - atMs;
      if (failures > 0) return left;
      const forSent = interest === "outcome" ? cadence.wakePauseMs(nowMs) : Infinity;
      const pauseMs = Math.min(left, restMs(interest, nowMs), lookedAtMs + forSent - atMs);
      nextMs = atMs + pauseMs;
      return pauseMs;
    },
  };
}
