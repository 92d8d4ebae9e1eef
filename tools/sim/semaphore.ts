/** A semaphore: a limited number of tasks run at the same time, later ones wait. */

/** Runs a task as soon as the limit permits it. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a semaphore for `max` tasks at a time. */
export function createSemaphore(max: number): Semaphore {
  const waiting: (() => void)[] = [];
  let working = 0;
  return async (work) => {
    if (working >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else working++;
    try {
      return await work();
    } finally {
      // The permit goes to the task that has waited longest.
      const next = waiting.shift();
      if (next) next();
      else working--;
    }
  };
}
