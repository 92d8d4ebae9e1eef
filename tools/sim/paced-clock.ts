/**
 * Time for a run in one process: it goes on in small steps while nothing that takes machine time is
 * under way. However busy the machine is, what is measured by this clock comes out the same: the
 * facilitator, the nodes and the callers are slowed down together.
 */
import type { Clock } from "@farthing/facilitator";
import { sleepIn, type Sleeper } from "./sleepers.ts";

/** A clock that is driven by {@link PacedClock.stop | a loop of its own} until it is stopped. */
export interface PacedClock extends Clock {
  /** Time stands still until the work is done. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

/**
 * Virtual milliseconds of one step. A step takes a millisecond of the machine, and a request and its
 * response a few: to the facilitator the node seems as far away as one in the same country.
 */
const stepMs = 20;

/** Starts at the machine's time. */
export function startPacedClock(): PacedClock {
  const sleepers = new Set<Sleeper>();
  let nowMs = Date.now();
  let held = 0;
  let isStopped = false;

  function step(): void {
    if (isStopped) return;
    if (held === 0) {
      nowMs += stepMs;
      for (const sleeper of sleepers) if (sleeper.untilMs <= nowMs) sleeper.wake();
    }
    setTimeout(step, 1);
  }
  setTimeout(step, 1);

  return {
    nowMs: () => nowMs,
    sleep: sleepIn(sleepers, () => nowMs),
    async hold(work) {
      held++;
      try {
        return await work();
      } finally {
        held--;
      }
    },
    stop() {
      isStopped = true;
      for (const sleeper of sleepers) sleeper.wake();
    },
  };
}
