/**
 * How many looks in vain an open payment may cost, however irregularly blocks come. At a block every
 * two seconds each second has half a look that finds one and half a request for its logs; with these
 * a payment stays below two requests a second.
 */

/** Looks in vain that may be saved up, and that come back each second. */
const savedMax = 4;
const savedPerSecond = 0.75;

/** The budget. Its times are milliseconds that never go back. */
export interface LookBudget {
  /** Notes a look that found nothing. */
  spend(atMs: number): void;
  /** Milliseconds until another one can be afforded. */
  waitMs(atMs: number): number;
}

/** Creates a full budget. */
export function createLookBudget(): LookBudget {
  let saved = savedMax;
  let savedAtMs = Number.NEGATIVE_INFINITY;

  function save(atMs: number): void {
    saved = Math.min(savedMax, saved + ((atMs - savedAtMs) / 1_000) * savedPerSecond);
    savedAtMs = atMs;
  }

  return {
    spend(atMs) {
      save(atMs);
      saved = Math.max(0, saved - 1);
    },
    waitMs(atMs) {
      save(atMs);
      return Math.max(0, ((1 - saved) / savedPerSecond) * 1_000);
    },
  };
}
