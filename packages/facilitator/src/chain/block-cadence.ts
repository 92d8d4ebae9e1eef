/** When to look for the next block: now and then before it is due, often once it is. */

/** The rhythm in which a chain's blocks come. */
export interface BlockCadence {
  /** A head that was not seen before. */
  noteHead(number: number, nowMs: number): void;
  /** How long to wait until the next look, while somebody waits for a block. */
  pauseMs(nowMs: number): number;
}

/** XDC's block period: what is assumed before two blocks were seen, and the longest believed. */
const gapMsMax = 2_000;

/** Pause before a block is due: blocks can come early, and XDC's period takes ten such looks. */
const farMs = 200;

/** Looks within one gap once a block is due: a payment then waits a fortieth of it in the mean. */
const looksPerGap = 20;

/** Pause between looks when blocks come at once, as on a chain that makes one per transaction. */
const nearMsMin = 25;
/** And when they come seldom. */
const nearMsMax = 100;

/** Creates the cadence of a chain. */
export function createBlockCadence(): BlockCadence {
  let gapMs = gapMsMax;
  let last: { readonly number: number; readonly seenAtMs: number } | undefined;
  return {
    noteHead(number, nowMs) {
      if (last && number > last.number) {
        const measured = (nowMs - last.seenAtMs) / (number - last.number);
        // Half of the old and half of the new: one late block does not change the rhythm.
        gapMs = (gapMs + Math.min(measured, gapMsMax)) / 2;
      }
      last = { number, seenAtMs: nowMs };
    },
    pauseMs(nowMs) {
      const nearMs = Math.min(nearMsMax, Math.max(nearMsMin, gapMs / looksPerGap));
      if (!last) return nearMs;
      const leftMs = last.seenAtMs + gapMs - nowMs;
      if (leftMs > 0) return Math.min(farMs, Math.max(nearMs, leftMs));
      // A block that is a whole period late is no matter of milliseconds any more.
      return -leftMs < gapMsMax ? nearMs : farMs;
    },
  };
}
