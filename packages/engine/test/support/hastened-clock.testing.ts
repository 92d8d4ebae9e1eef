/** Time that runs faster than the machine's: minutes of waiting become seconds of a test. */
import { type Clock, systemClock } from "../../src/base.ts";

/** Creates a clock that starts at the machine's time and runs so many times as fast. */
export function createHastenedClock(speed: number): Clock {
  const startMs = systemClock.nowMs();
  return {
    nowMs: () => Math.floor(startMs + (systemClock.nowMs() - startMs) * speed),
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}
