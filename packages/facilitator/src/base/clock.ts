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

/** Whole Unix seconds, rounded down: the unit of authorizations and of blocks. */
export function unixSeconds(clock: Clock): bigint {
  return BigInt(Math.floor(clock.nowMs() / 1000));
}

/** RFC 3339 text of a time in milliseconds, or null. */
export function timeText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
