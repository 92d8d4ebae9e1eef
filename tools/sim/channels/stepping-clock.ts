/**
 * Time of a run in one process, which goes on when nothing is left to do at its moment: from one sleeper
 * to the next. A run of hours takes as long as its work.
 */
import type { Clock } from "@farthing/facilitator";
import { sleepIn, type Sleeper } from "../sleepers.ts";

export interface SteppingClock extends Clock {
  /** Time stands still until the work is done: a request to the chain, a write. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Lets so much time pass. */
  pass(ms: number): Promise<void>;
}

/** Rounds of the event loop after which nothing more comes of what has happened. */
const quietRounds = 6;

export function createSteppingClock(firstMs: number): SteppingClock {
  const sleepers = new Set<Sleeper>();
  let nowMs = firstMs;
  let working = 0;

  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < quietRounds; quiet++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (working > 0) quiet = -1;
    }
  }

  function earliest(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const one of sleepers) if (!first || one.untilMs < first.untilMs) first = one;
    return first;
  }

  return {
    nowMs: () => nowMs,
    sleep: sleepIn(sleepers, () => nowMs),
    async during(work) {
      working++;
      try {
        return await work;
      } finally {
        working--;
      }
    },
    async pass(ms) {
      const endMs = nowMs + ms;
      for (;;) {
        await settle();
        const next = earliest();
        if (!next || next.untilMs > endMs) break;
        nowMs = Math.max(nowMs, next.untilMs);
        next.wake();
      }
      nowMs = endMs;
    },
  };
}
