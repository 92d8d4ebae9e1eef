/**
 * When to look for the next block while a payment waits for one: when it is due, and then ever more
 * seldom until it is there. Blocks of XDC come every two seconds, so a look that finds one and a
 * look at its logs are all that most blocks cost.
 */

/** The rhythm in which a chain's blocks come. */
export interface BlockCadence {
  /** Notes a head that was not seen before; `time` is the block's own, in Unix seconds. */
  noteHead(head: { readonly number: number; readonly time: bigint }, nowMs: number): void;
  /** Notes a look that found no new head. */
  noteEmptyLook(): void;
  /** Milliseconds from now until the next look. */
  pauseMs(nowMs: number): number;
  /**
   * Milliseconds that have to lie between the last look and one that is made because a transaction
   * was sent: nothing where blocks are made on demand, and what is due anyway on a steady chain.
   */
  wakePauseMs(nowMs: number): number;
  /** Whether blocks come faster than on any chain that is not local. */
  isOnDemand(): boolean;
}

/** XDC's block period: what is assumed before anything was seen, and the longest believed. */
const periodMsDefault = 2_000;

/** Intervals between blocks that are remembered. As long as they are alike the chain is steady. */
const rememberedGaps = 3;
/** The shortest interval of a steady chain: shorter ones are of a local chain, made on demand. */
const steadyMsMin = 500;
/** How far an interval may be from the others, as a part of it: block times are whole seconds. */
const steadyShare = 0.25;

/**
 * How much earlier the next block is looked for after a look that found one, twice as much after each
 * further one: so a look in vain comes now and then, and says when blocks really arrive.
 */
const earlierMs = 10;

/** Pause after the first look in vain, as a part of the period; doubled after each further one. */
const firstPauseShare = 0.1;
/** Shortest pause, for chains that make blocks at once. */
const pauseMsMin = 50;
/** Longest pause: one look a second, and what else a payment needs, stay below two requests. */
const pauseMsMax = 1_000;

/** Pause between looks for sent transactions where blocks are made on demand. */
const onDemandMs = 25;

/** Creates the cadence of a chain. */
export function createBlockCadence(): BlockCadence {
  let last: { readonly number: number; readonly time: bigint } | undefined;
  let gaps = Array.from({ length: rememberedGaps }, () => periodMsDefault);
  /** Milliseconds from a block's own time until it is here. It holds our clock's skew too. */
  let delayMs: number | undefined;
  let emptyLooks = 0;
  /** Blocks in a row that the first look has found. */
  let foundAtOnce = 0;

  const periodMs = () =>
    Math.min(periodMsDefault, gaps.reduce((sum, gap) => sum + gap) / gaps.length);

  function isSteady(): boolean {
    const period = periodMs();
    const isAlike = (gap: number) => Math.abs(gap - period) <= period * steadyShare;
    return period >= steadyMsMin && gaps.every(isAlike);
  }

  /** When the next block should be here, by our clock. */
  function dueMs(): number {
    return last && delayMs !== undefined ? Number(last.time) * 1_000 + delayMs + periodMs() : 0;
  }

  const firstPauseMs = () => Math.max(pauseMsMin, periodMs() * firstPauseShare);

  function noteDelay(seenAfterMs: number): void {
    const isInTime = delayMs === undefined || seenAfterMs < delayMs + firstPauseMs();
    foundAtOnce = emptyLooks === 0 && isInTime ? foundAtOnce + 1 : 0;
    if (foundAtOnce > 0) delayMs = seenAfterMs - earlierMs * 2 ** Math.min(foundAtOnce - 1, 5);
    else if (emptyLooks === 1) delayMs = seenAfterMs;
    // One that came so late is no measure for the next one; later than a period it is the time of
    // day that was put forward.
    else if (emptyLooks > 1) {
      delayMs = Math.max((delayMs ?? seenAfterMs) + firstPauseMs(), seenAfterMs - periodMs());
    }
  }

  return {
    isOnDemand: () => periodMs() < steadyMsMin,
    noteHead({ number, time }, nowMs) {
      if (last && number > last.number) {
        const gap = (Number(time - last.time) * 1_000) / (number - last.number);
        gaps = [...gaps, gap].slice(-rememberedGaps);
        noteDelay(nowMs - Number(time) * 1_000);
      }
      emptyLooks = 0;
      last = { number, time };
    },
    noteEmptyLook() {
      emptyLooks++;
    },
    pauseMs(nowMs) {
      const firstMs = firstPauseMs();
      if (isSteady() && emptyLooks === 0) {
        return Math.min(periodMs(), Math.max(firstMs, dueMs() - nowMs));
      }
      return Math.min(pauseMsMax, firstMs * 2 ** Math.max(0, emptyLooks - 1));
    },
    wakePauseMs(nowMs) {
      if (!isSteady()) return onDemandMs;
      // A chain that is late, or was not looked at: now is as good as any time.
      return nowMs < dueMs() + periodMs() ? Number.POSITIVE_INFINITY : pauseMsMax;
    },
  };
}
