/** The only place that reads the time. The clock is passed in, so that tests can move it. */

export interface Clock {
  nowMs(): number;
  /** Milliseconds that no change of the time of day moves, from any beginning. */
  steadyMs?(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `done` after `ms`; returns what cancels that. See {@link callAfter}. */
  callAfter?(ms: number, done: () => void): () => void;
}

/** Calls `done` after `ms`; returns what cancels that. */
export function callAfter(clock: Clock, ms: number, done: () => void): () => void {
  if (clock.callAfter) return clock.callAfter(ms, done);
  const canceled = new AbortController();
  const wait = async () => {
    await clock.sleep(ms, canceled.signal);
    if (!canceled.signal.aborted) done();
  };
  void wait();
  return () => canceled.abort(waitEnded);
}

/**
 * The reason of an abort that only ends a wait. Without a reason, each abort creates an exception with
 * a stack trace, which no code reads.
 */
export const waitEnded = "The wait has ended";

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),
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
  callAfter(ms, done) {
    const timer = setTimeout(done, ms);
    return () => clearTimeout(timer);
  },
};

/** Returns time that stands still where the given one goes back, and continues from there. */
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
  const nowMs = () => steady(clock.steadyMs?.() ?? clock.nowMs());
  return { nowMs, sleep: (ms, signal) => clock.sleep(ms, signal) };
}

/** Whole Unix seconds, rounded down: the unit of authorizations and of blocks. */
export function unixSeconds(clock: Clock): bigint {
  return BigInt(Math.floor(clock.nowMs() / 1000));
}

export function timeText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
