/** The follower's pause between looks: by what waits for a block, and longer after each failure. */
import { backOffMs, type BackOffBounds } from "../../base/back-off.ts";
import { createSteadyTime } from "../../base/clock.ts";
import { createBlockCadence } from "./block-cadence.ts";
import type { BlockHead } from "../reads/block-headers.ts";
import type { BlockInterest } from "./chain-view.ts";

/** With nothing open: four looks a minute leave two requests for everything else. */
export const idlePauseMs = 15_000;

/** For verifications and finality: one block period keeps the head recent for a send. */
export const watchfulPauseMs = 2_000;

/** Verifications keep the shorter pause for this long: a buyer's settle follows within seconds. */
const attentionMs = 10_000;

/** With nothing open, a dead endpoint is asked a dozen times a minute. */
const idleFailurePause: BackOffBounds = { minMs: 500, maxMs: 5_000 };
/** Outcomes resume within two blocks of a recovery, the random time included. */
const openFailurePause: BackOffBounds = { minMs: 250, maxMs: 2_000 };

/** After a look that found blocks without logs, which takes two requests. */
const partPauseMs = 600;

/** A new block, no new block, a block that is still incomplete, or a fault. */
export type LookResult = "found" | "nothing" | "part" | "failed";

export function createLookPace() {
  const cadence = createBlockCadence();
  const budget = createPollBudget();
  /** Pauses do not grow when the time of day is put back. */
  const steady = createSteadyTime();
  let failures = 0;
  let nextMs = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let attendedAtMs = Number.NEGATIVE_INFINITY;
  let wasPart = false;
  let wasInVain = false;
  let tookMs = 0;

  const isAttentive = (nowMs: number) => steady(nowMs) - attendedAtMs < attentionMs;

  /** Milliseconds until a poll without result is affordable; 0 where blocks are made on demand. */
  const affordableMs = (nowMs: number) => (cadence.isOnDemand() ? 0 : budget.waitMs(steady(nowMs)));

  /** Milliseconds between two looks, or until the next block while an outcome is awaited. */
  function restMs(interest: BlockInterest, nowMs: number): number {
    if (interest === "outcome") {
      // A look that took long has waited already.
      const restedMs = wasInVain ? tookMs : 0;
      const pauseMs = Math.max(cadence.pauseMs(nowMs) - restedMs, affordableMs(nowMs));
      return wasPart ? Math.max(partPauseMs, pauseMs) : pauseMs;
    }
    const isWatchful = interest === "finality" || isAttentive(nowMs);
    return lookedAtMs + (isWatchful ? watchfulPauseMs : idlePauseMs) - steady(nowMs);
  }

  return {
    /** A new head, asked for at a time by our clock, by a look that took so long. */
    noteHead: (head: BlockHead, askedMs: number, lookMs = 0) =>
      cadence.noteHead(head, askedMs, lookMs),
    /** Records how a look ended, and what waited for a block meanwhile. */
    noteLook(result: LookResult, interest: BlockInterest, nowMs: number, lookMs = 0): void {
      tookMs = lookMs;
      lookedAtMs = steady(nowMs);
      wasPart = result === "part";
      failures = result === "failed" ? failures + 1 : 0;
      wasInVain = result === "nothing" || result === "part";
      if (!wasInVain || interest !== "outcome") return;
      cadence.noteEmptyLook(nowMs - lookMs);
      budget.spend(lookedAtMs);
    },
    /** A payment is being verified. Returns whether the next look is too far away for it. */
    noteAttention(nowMs: number): boolean {
      attendedAtMs = steady(nowMs);
      return failures === 0 && nextMs > lookedAtMs + watchfulPauseMs;
    },
    isAttentive,
    /** Milliseconds until the next look, right after a look. */
    pauseMs(interest: BlockInterest, nowMs: number): number {
      const rest = restMs(interest, nowMs);
      const failurePause = interest === "none" ? idleFailurePause : openFailurePause;
      const pauseMs = Math.max(rest, backOffMs(failures, failurePause), 0);
      nextMs = steady(nowMs) + pauseMs;
      return pauseMs;
    },
    /** The same when a transaction was sent, or the interest changed, since the last look. */
    wokenPauseMs(interest: BlockInterest, nowMs: number): number {
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

/**
 * Polls without result of an open payment: those saved up, and those regained each second. With half a
 * successful poll and half a read of logs a second, it stays below two requests a second.
 */
const savedMax = 4;
const savedPerSecond = 0.75;

/** Its times are milliseconds that never go back. */
function createPollBudget() {
  let saved = savedMax;
  let savedAtMs = Number.NEGATIVE_INFINITY;

  function save(atMs: number): void {
    saved = Math.min(savedMax, saved + ((atMs - savedAtMs) / 1_000) * savedPerSecond);
    savedAtMs = atMs;
  }

  return {
    spend(atMs: number): void {
      save(atMs);
      saved = Math.max(0, saved - 1);
    },
    waitMs(atMs: number): number {
      save(atMs);
      return Math.max(0, ((1 - saved) / savedPerSecond) * 1_000);
    },
  };
}
