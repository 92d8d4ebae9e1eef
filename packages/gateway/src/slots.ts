/** How many calls run at once, and how many may wait for their turn; everybody else is told no. */

/** Bounds of the calls to one upstream. */
export interface SlotLimits {
  /** Calls at once. */
  readonly slotsMax: number;
  /** Longest wait for a turn, in milliseconds. */
  readonly waitMs: number;
}

/** Hands out turns. */
export interface Slots {
  /** Waits for a turn; false when there is none in time or the line is too long already. */
  take(): Promise<boolean>;
  /** Gives a turn back. */
  free(): void;
  /** Turns that are taken. */
  taken(): number;
  /** Whether whoever comes now is sent away at once. */
  isLineFull(): boolean;
}

/**
 * Waiting calls for each one that runs: with calls of equal length, whoever stands further back
 * than this waits four calls long, and is better off asking again.
 */
const waitingPerSlot = 4;

/** Creates turns that are all free. */
export function createSlots({ slotsMax, waitMs }: SlotLimits): Slots {
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
    async take() {
      if (taken < slotsMax) {
        taken++;
        return true;
      }
      return !isLineFull() && wait();
    },
    free() {
      const [next] = line;
      if (!next) {
        taken--;
        return;
      }
      // The turn is passed on, so that nobody who comes just now gets in before.
      line.delete(next);
      next();
    },
    taken: () => taken,
    isLineFull,
  };
}
