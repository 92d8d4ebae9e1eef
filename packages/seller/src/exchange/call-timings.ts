import type { Facilitator } from "../facilitator.ts";

/** Times of the facilitator's calls for one request: the sum of all calls, or absent. */
export interface ChargeTimings {
  readonly verifyMs?: number;
  readonly settleMs?: number;
}

/** Returns the same facilitator; `onTime` receives the duration of each call. */
export function timeCalls(
  facilitator: Facilitator,
  now: () => number,
  onTime: (call: "verify" | "settle", ms: number) => void,
): Facilitator {
  const timed = async <T>(name: "verify" | "settle", call: () => Promise<T>): Promise<T> => {
    const startedMs = now();
    try {
      return await call();
    } finally {
      onTime(name, now() - startedMs);
    }
  };
  return {
    ...facilitator,
    verify: (request, limit) => timed("verify", () => facilitator.verify(request, limit)),
    settle: (request, limit) => timed("settle", () => facilitator.settle(request, limit)),
    settlement: (id, limit) => timed("settle", () => facilitator.settlement(id, limit)),
  };
}
