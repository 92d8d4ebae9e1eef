/** Turns: so many may work at the same time, whoever comes later waits. */

/** Works when it is its turn. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates turns for `most` at a time. */
export function createSemaphore(max: number): Semaphore {
  const waiting: (() => void)[] = [];
  let working = 0;
  return async (work) => {
    if (working >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else working++;
    try {
      return await work();
    } finally {
      // The place goes to whoever waits first.
      const next = waiting.shift();
      if (next) next();
      else working--;
    }
  };
}
