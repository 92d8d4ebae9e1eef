/** What the exchange needs of its runtime: the clock, which tests replace, and time after a response. */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** In the background, a sleep does not keep the process alive. The signal ends it early. */
  sleep(ms: number, where?: "background", signal?: AbortSignal): Promise<void>;
}

/**
 * Keeps a runtime alive for work that continues after the response, where it would stop otherwise:
 * `waitUntil` of Cloudflare Workers, `after` of Next.js.
 */
export type WaitUntil = (work: Promise<unknown>) => void;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, where, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(handle);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const handle = setTimeout(end, ms);
      signal?.addEventListener("abort", end);
      if (signal?.aborted) end();
      const timer: unknown = handle;
      // Outside of Node a timer is a number, and keeps nothing alive.
      if (where === "background" && timer instanceof Object && "unref" in timer) unref(timer);
    }),
};

function unref(timer: { unref: unknown }): void {
  if (typeof timer.unref === "function") timer.unref();
}
