/** Waits for what the service does by itself, by the run's clock. */
import type { Clock } from "@farthing/facilitator";

/**
 * For a step that the service has to make. A look at the leases takes a second and a block two; on a busy
 * machine, where the time of a run passes as fast, both take many.
 */
export const waitSeconds = 40;

/** Between two looks whether it has done it. */
const lookMs = 200;

export const notSeen = `not played: the service did not do it within ${waitSeconds} s`;

export type IsSoon = (
  condition: () => boolean | Promise<boolean>,
  seconds?: number,
) => Promise<boolean>;

export function createIsSoon(clock: Clock): IsSoon {
  return async (condition, seconds = waitSeconds) => {
    const untilMs = clock.nowMs() + seconds * 1_000;
    while (clock.nowMs() < untilMs) {
      if (await condition()) return true;
      await clock.sleep(lookMs);
    }
    return condition();
  };
}
