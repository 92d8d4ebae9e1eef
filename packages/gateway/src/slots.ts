/** Bounds how many calls run at once and how many may wait; further ones are refused. */

export interface SlotLimits {
  /** Calls at once. */
  readonly slotsMax: number;
  /** Longest wait for a slot, in milliseconds. */
  readonly waitMs: number;
}

export interface Slots {
  /** Waits for a slot; false when none is free in time or too many calls wait already. */
  take(): Promise<boolean>;
  free(): void;
  /** Slots in use. */
  taken(): number;
  /** Whether a new call would be refused at once. */
  isLineFull(): boolean;
}

/** Behind more than four calls of equal length, a client does better to repeat the request. */
const waitingPerSlot = 4;

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
      // The slot is passed on, so that no new call takes it first.
      line.delete(next);
      next();
    },
    taken: () => taken,
    isLineFull,
  };
}
