/** The clock of the exchange; tests replace it. */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** In the background, a sleep does not keep the process alive. */
  sleep(ms: number, where?: "background"): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, where) =>
    new Promise((resolve) => {
      const timer: unknown = setTimeout(resolve, ms);
      // Outside of Node a timer is a number, and keeps nothing alive.
      if (where === "background" && timer instanceof Object && "unref" in timer) unref(timer);
    }),
};

function unref(timer: { unref: unknown }): void {
  if (typeof timer.unref === "function") timer.unref();
}
