/** Those who wait for a moment of a clock that a run drives by itself. */
import type { Clock } from "@farthing/facilitator";

export interface Sleeper {
  /** In milliseconds of the clock. */
  readonly untilMs: number;
  /** Also takes it out of the set. */
  wake(): void;
}

/** Lets callers of a clock sleep: each stands in `sleepers` until it is woken or its signal aborts. */
export function sleepIn(sleepers: Set<Sleeper>, nowMs: () => number): Clock["sleep"] {
  return (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper = { untilMs: nowMs() + ms, wake };
      sleepers.add(sleeper);
      function wake() {
        sleepers.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      }
      signal?.addEventListener("abort", wake, { once: true });
    });
}
