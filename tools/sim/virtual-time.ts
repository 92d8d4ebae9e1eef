/**
 * Time that runs faster, the same for the facilitators, the chain, the database and the callers:
 * whatever is measured against the clock keeps its proportions, and a run takes a tenth of its time.
 * Only what the machine itself takes (a signature, a disk write, a round trip on loopback) weighs ten
 * times as much, as on a slow machine with distant nodes. On one that is busy already it weighs
 * more than any machine that anybody would run this on, so time runs less fast there, and where many
 * programs wait for each core not faster than the machine's.
 */
import { availableParallelism, loadavg } from "node:os";
import type { Clock } from "@farthing/facilitator";

/** How much faster than the machine's clock, at most and at least. */
const speedMax = 10;
const speedMin = 1;

/** Names of the variables that tell a facilitator's process when time began, and its speed. */
export const startName = "SIM_STARTED_AT_MS";
export const speedName = "SIM_SPEED";

/** Name of the variable that tells it which face to show. */
export const surfaceName = "SIM_FACE";

/** Name of the variable that tells it where its clock's error stands. */
export const clockFileName = "SIM_CLOCK_FILE";

/** The time of a run. */
export interface VirtualTime {
  /** By the machine, in milliseconds. */
  readonly startedAtMs: number;
  readonly speed: number;
}

/** Begins now, as fast as the machine's other work allows. */
export function beginTime(): VirtualTime {
  const [load = 0] = loadavg();
  // Up to two programs that wait for each core change little.
  const share = (2 * availableParallelism()) / Math.max(load, 1);
  const speed = Math.round(speedMax * Math.min(1, share));
  return { startedAtMs: Date.now(), speed: Math.max(speedMin, speed) };
}

/** Starts at the machine's time and runs ahead of it; `errorMs`: how far its time of day is ahead. */
export function createVirtualClock(
  { startedAtMs, speed }: VirtualTime,
  errorMs: () => number = () => 0,
): Clock {
  const trueMs = () => Math.floor(startedAtMs + (Date.now() - startedAtMs) * speed);
  return {
    nowMs: () => trueMs() + errorMs(),
    steadyMs: trueMs,
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
