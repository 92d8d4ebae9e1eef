/**
 * The clock of a store elsewhere, carried on between its replies by the process's own clocks, so that a
 * lease can be taken without asking for the time first.
 */

/** Two clocks of good machines differ by a millisecond after it. */
const carriedMsMax = 10_000;

/** The process's own two clocks differ by more after a pause of its machine, or a change of its time. */
const differenceMsMax = 1_000;

export interface CarriedClock {
  /** Notes what the store has told as the time. */
  note(nowMs: number): void;
  /** Undefined where the store has to be asked. */
  nowMs(): number | undefined;
}

/** `now` is the store's clock where that is the process's own. */
export function createCarriedClock(now?: () => number): CarriedClock {
  let told:
    | { readonly nowMs: number; readonly steadyMs: number; readonly dateMs: number }
    | undefined;
  return {
    note(nowMs) {
      told = { nowMs, steadyMs: performance.now(), dateMs: Date.now() };
    },
    nowMs() {
      if (now) return now();
      if (!told) return undefined;
      const steadyMs = performance.now() - told.steadyMs;
      const dateMs = Date.now() - told.dateMs;
      const isCertain = steadyMs < carriedMsMax && Math.abs(dateMs - steadyMs) < differenceMsMax;
      return isCertain ? Math.floor(told.nowMs + steadyMs) : undefined;
    },
  };
}
