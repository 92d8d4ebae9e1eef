/** The only place that reads the time. Passed in everywhere, so that tests can move it. */

/** Time as the program sees it. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(done, ms);
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      }
      signal?.addEventListener("abort", done, { once: true });
    }),
};

/**
 * Creates a time that stands still for a moment where the given one goes back (a step of NTP, a
 * machine that is resumed), and from there goes on with it: waits stay as long as they were meant.
 */
export function createSteadyTime(): (nowMs: number) => number {
  let aheadMs = 0;
  let latestMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    aheadMs = Math.max(aheadMs, latestMs - nowMs);
    latestMs = nowMs + aheadMs;
    return latestMs;
  };
}

/** The same clock, whose time never goes back. It is no longer the time of day. */
export function steadyClockOf(clock: Clock): Clock {
  const steady = createSteadyTime();
  return { nowMs: () => steady(clock.nowMs()), sleep: (ms, signal) => clock.sleep(ms, signal) };
}

/** Whole Unix seconds, rounded down: the unit of authorizations and of blocks. */
export function unixSeconds(clock: Clock): bigint {
  return BigInt(Math.floor(clock.nowMs() / 1000));
}

/** RFC 3339 text of a time in milliseconds, or null. */
export function timeText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
