/** Bounds how many calls run at once and how many may wait; further ones are refused. */

/** Behind more than four calls of equal length, a client does better to repeat the request. */
const waitingPerSlot = 4;

interface SlotOptions {
  readonly slotsMax: number;
  readonly waitMs: number;
  /** Slots that unpaid calls can have at once; all of them when absent. */
  readonly unpaidMax?: number;
}

interface Waiting {
  readonly isUnpaid: boolean;
  readonly go: () => void;
}

/**
 * `slotsMax` calls run at once, others wait for at most `waitMs`. Unpaid calls have a line of
 * their own where they cannot have all slots, so that they keep no paid one away.
 */
export function createSlots({ slotsMax, waitMs, unpaidMax = slotsMax }: SlotOptions) {
  // In the order in which they came.
  const line = new Set<Waiting>();
  let [taken, unpaid, unpaidWaiting] = [0, 0, 0];

  const isShared = unpaidMax >= slotsMax;
  const isFree = (isUnpaid: boolean) => taken < slotsMax && (!isUnpaid || unpaid < unpaidMax);

  function isLineFull(isUnpaid = false): boolean {
    const same = isUnpaid ? unpaidWaiting : line.size - unpaidWaiting;
    const waiting = isShared ? line.size : same;
    return waiting >= slotsMax * waitingPerSlot;
  }

  function start(isUnpaid: boolean): void {
    taken++;
    if (isUnpaid) unpaid++;
  }

  function leave(waiting: Waiting): void {
    line.delete(waiting);
    if (waiting.isUnpaid) unpaidWaiting--;
  }

  function wait(isUnpaid: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const waiting = { isUnpaid, go };
      const timer = setTimeout(() => {
        leave(waiting);
        resolve(false);
      }, waitMs);
      line.add(waiting);
      if (isUnpaid) unpaidWaiting++;
    });
  }

  return {
    /** Waits for a slot; false when none is free in time or too many calls wait already. */
    async take(isUnpaid = false): Promise<boolean> {
      if (!isFree(isUnpaid)) return !isLineFull(isUnpaid) && wait(isUnpaid);
      start(isUnpaid);
      return true;
    },
    free(isUnpaid = false): void {
      taken--;
      if (isUnpaid) unpaid--;
      for (const next of line) {
        if (!isFree(next.isUnpaid)) continue;
        // The slot is passed on, so that no new call takes it first.
        leave(next);
        start(next.isUnpaid);
        return next.go();
      }
    },
    taken: () => taken,
    /** Whether a new call that is paid for would be refused at once. */
    isLineFull: () => isLineFull(),
  };
}

/** A quarter is kept for the calls that are paid for, unless there is one slot alone. */
export function unpaidShare(slotsMax: number): number {
  return Math.max(1, slotsMax - Math.ceil(slotsMax / 4));
}
