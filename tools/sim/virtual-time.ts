/**
 * Time that runs faster, the same for the facilitator, the chain and the callers: whatever is
 * measured against the clock keeps its proportions, and a run takes a tenth of its time. Only what
 * the machine itself takes (a signature, a disk write, a round trip on loopback) weighs ten times as
 * much, as on a slow machine with distant nodes.
 */
import type { Clock } from "@farthing/facilitator";

/** How much faster than the machine's clock. */
export const speed = 10;

/** Name of the variable that tells the facilitator's process when time began. */
export const startName = "SIM_STARTED_AT_MS";

/** Name of the variable that tells it which face to show. */
export const faceName = "SIM_FACE";

/** Starts at the machine's time and runs ahead of it. */
export function createVirtualClock(startedAtMs: number): Clock {
  return {
    nowMs: () => Math.floor(startedAtMs + (Date.now() - startedAtMs) * speed),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const timer = setTimeout(done, ms / speed);
        function done() {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          resolve();
        }
        signal?.addEventListener("abort", done, { once: true });
      }),
  };
}
