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
      if (where === "background") unref(handle);
    }),
};

/** Lets the process end while a timer runs. Outside of Node a timer is a number, and keeps nothing alive. */
export function unref(timer: unknown): void {
  const isObject = typeof timer === "object" && timer !== null && "unref" in timer;
  if (isObject && typeof timer.unref === "function") timer.unref();
}
