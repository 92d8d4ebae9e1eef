/** Time of the machine in which a test changes how long some waits take. */
import { type Clock, systemClock } from "@farthing/engine/base";

/** Creates a clock whose waits take the milliseconds that `change` makes of them. */
export function createClockWithWaits(change: (ms: number) => number): Clock {
  return {
    nowMs: () => systemClock.nowMs(),
    sleep: (ms, signal) => systemClock.sleep(change(ms), signal),
  };
}
