/** Bounds how many calls run at once and how many may wait; further ones are refused. */

/** Behind more than four calls of equal length, a client does better to repeat the request. */
const waitingPerSlot = 4;

/** `slotsMax` calls run at once, others wait for at most `waitMs`. */
export function createSlots({ slotsMax, waitMs }: { slotsMax: number; waitMs: number }) {
  const line = new Set<() => void>();
  let taken = 0;

  const isLineFull = () => line.size >= slotsMax * waitingPerSlot;

  function wait(): Promise<boolean> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        line.delete(go);
        resolve(false);
      }, waitMs);
      line.add(go);
    });
  }

  return {
    /** Waits for a slot; false when none is free in time or too many calls wait already. */
    async take(): Promise<boolean> {
      if (taken < slotsMax) {
        taken++;
        return true;
      }
      return !isLineFull() && wait();
    },
    free(): void {
      const [next] = line;
      if (!next) {
        taken--;
        return;
      }
      // The slot is passed on, so that no new call takes it first.
      line.delete(next);
      next();
    },
    taken: () => taken,
    /** Whether a new call would be refused at once. */
    isLineFull,
  };
}
