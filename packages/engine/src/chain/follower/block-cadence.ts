/**
 * Decides when to look for the next block: when it is due, then at growing intervals. XDC makes a
 * block every two seconds, so most blocks cost one look and one read of logs.
 */
import type { BlockHead } from "../reads/block-headers.ts";

export type BlockCadence = ReturnType<typeof createBlockCadence>;

/** XDC's block period: the initial value, and the longest that is used. */
const periodMsDefault = 2_000;

/** The chain is steady while this many intervals are alike. */
const rememberedGaps = 3;
/** Shorter intervals mean a local chain that makes blocks on demand. */
const steadyMsMin = 500;
/** Intervals may differ by this share, since block times are whole seconds. */
const steadyShare = 0.25;

/** A hit moves the next look ahead by this much, doubled each time, until a miss. */
const earlierMs = 10;

/** First pause after a miss, as a share of the period; doubled each time. */
const firstPauseShare = 0.1;
/** For chains that make blocks at once. */
const pauseMsMin = 50;
/** One look a second and the other reads of a payment stay below two requests a second. */
const pauseMsMax = 1_000;

const onDemandMs = 25;

export function createBlockCadence() {
  let last: Pick<BlockHead, "number" | "time"> | undefined;
  let gaps = Array.from({ length: rememberedGaps }, () => periodMsDefault);
  /** Milliseconds from a block's own time until it is seen, our clock's skew included. */
  let delayMs: number | undefined;
  let emptyLooks = 0;
  let foundAtOnce = 0;
  /** When the last look without result was asked, by our clock. */
  let missedMs = Number.POSITIVE_INFINITY;

  const periodMs = () =>
    Math.min(periodMsDefault, gaps.reduce((sum, gap) => sum + gap) / gaps.length);

  function isSteady(): boolean {
    const period = periodMs();
    const isAlike = (gap: number) => Math.abs(gap - period) <= period * steadyShare;
    return period >= steadyMsMin && gaps.every(isAlike);
  }

  /** The expected arrival of the next block, by our clock. */
  function dueMs(): number {
    return last && delayMs !== undefined ? Number(last.time) * 1_000 + delayMs + periodMs() : 0;
  }

  const firstPauseMs = () => Math.max(pauseMsMin, periodMs() * firstPauseShare);

  function noteDelay(seenAfterMs: number, missedAfterMs: number, lookMs: number): void {
    const isInTime = delayMs === undefined || seenAfterMs < delayMs + firstPauseMs();
    foundAtOnce = emptyLooks === 0 && isInTime ? foundAtOnce + 1 : 0;
    // A miss at a distant node costs a round trip, more than being late by what it would teach.
    const doublings = lookMs > firstPauseMs() ? 0 : Math.min(foundAtOnce - 1, 5);
    if (foundAtOnce > 0) delayMs = seenAfterMs - earlierMs * 2 ** doublings;
    else if (emptyLooks === 1) delayMs = Math.min(seenAfterMs, missedAfterMs + firstPauseMs());
    // A late block is no measure for the next one. A delay beyond a period means that the time of
    // day moved forward.
    else if (emptyLooks > 1) {
      delayMs = Math.max((delayMs ?? seenAfterMs) + firstPauseMs(), seenAfterMs - periodMs());
    }
  }

  return {
    /** True if blocks come faster than on any chain that is not local. */
    isOnDemand: () => periodMs() < steadyMsMin,
    /** A head that was asked for at `nowMs`, by a look that took so long. */
    noteHead(
      { number, time }: Pick<BlockHead, "number" | "time">,
      nowMs: number,
      lookMs = 0,
    ): void {
      if (last && number > last.number) {
        const gap = (Number(time - last.time) * 1_000) / (number - last.number);
        gaps = [...gaps, gap].slice(-rememberedGaps);
        const timeMs = Number(time) * 1_000;
        noteDelay(nowMs - timeMs, missedMs - timeMs, lookMs);
      }
      emptyLooks = 0;
      last = { number, time };
    },
    noteEmptyLook(askedMs = Number.POSITIVE_INFINITY): void {
      emptyLooks++;
      missedMs = askedMs;
    },
    pauseMs(nowMs: number): number {
      const firstMs = firstPauseMs();
      if (isSteady() && emptyLooks === 0) {
        return Math.min(periodMs(), Math.max(firstMs, dueMs() - nowMs));
      }
      return Math.min(pauseMsMax, firstMs * 2 ** Math.max(0, emptyLooks - 1));
    },
    /** Milliseconds between the last look and one caused by a sent transaction. */
    wakePauseMs(nowMs: number): number {
      if (!isSteady()) return onDemandMs;
      return nowMs < dueMs() + periodMs() ? Number.POSITIVE_INFINITY : pauseMsMax;
    },
  };
}
