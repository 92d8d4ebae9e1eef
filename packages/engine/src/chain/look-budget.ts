/**
 * Limits the polls without result of an open payment, however irregular the blocks. At a block
 * every two seconds, each second has half a successful poll and half a read of logs; with this
 * budget a payment stays below two requests a second.
 */

/** Polls without result that can be saved up, and that are regained each second. */
const savedMax = 4;
const savedPerSecond = 0.75;

/** Times are milliseconds that never go back. */
export interface LookBudget {
  spend(atMs: number): void;
  waitMs(atMs: number): number;
}

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
