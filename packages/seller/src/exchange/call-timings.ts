/** Times of the facilitator's calls for one request. */
import type { Clock } from "../clock.ts";
import type { Facilitator } from "../facilitator.ts";

/** Each the sum of all calls; absent where there was none. */
export interface ChargeTimings {
  readonly verifyMs?: number;
  readonly settleMs?: number;
}

export function timeCalls(facilitator: Facilitator, clock: Clock) {
  const timings: { verifyMs?: number; settleMs?: number } = {};
  const timed = async <T>(name: keyof ChargeTimings, call: () => Promise<T>): Promise<T> => {
    const startedMs = clock.now();
    try {
      return await call();
    } finally {
      timings[name] = (timings[name] ?? 0) + clock.now() - startedMs;
    }
  };
  const measured: Facilitator = {
    ...facilitator,
    verify: (request, limit) => timed("verifyMs", () => facilitator.verify(request, limit)),
    settle: (request, limit) => timed("settleMs", () => facilitator.settle(request, limit)),
    settlement: (id, limit) => timed("settleMs", () => facilitator.settlement(id, limit)),
  };
  return { facilitator: measured, timings };
}
