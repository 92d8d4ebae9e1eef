/** Bounded waits: for a reply of the store, and for the holder of a record to end its work. */
import { withinTime } from "../../within-time.ts";
import type { PaymentRecordStore } from "./store.ts";

/** Limits the wait for a call of the store. A late result goes to `undo`, or its lease expires. */
export function inTime<T>(
  call: Promise<T>,
  timeoutMs: number | undefined,
  undo: (late: T) => Promise<unknown> = async () => undefined,
): Promise<T> {
  if (timeoutMs === undefined) return call;
  const late = `The store of payment records did not answer within ${timeoutMs} ms.`;
  return withinTime(call, timeoutMs, late, undo);
}

/** Requests of one process that poll at once, for all payments; further ones are told to repeat. */
const maxPollers = 1_000;

/** Creates the wait for a free record: by notification where the store can be watched, else by polling. */
export function createWaiting(
  isBusy: (key: string) => Promise<boolean>,
  pollMs: number,
  watch?: PaymentRecordStore["watch"],
) {
  let pollers = 0;
  async function poll(key: string, untilMs: number): Promise<boolean> {
    while (await isBusy(key)) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return false;
      await new Promise((resolve) => setTimeout(resolve, Math.min(pollMs, leftMs)));
    }
    return true;
  }
  return async (key: string, timeoutMs: number): Promise<boolean> => {
    if (watch) return waitForFree(isBusy, watch, key, timeoutMs);
    if (pollers >= maxPollers) return false;
    pollers++;
    try {
      return await poll(key, performance.now() + timeoutMs);
    } finally {
      pollers--;
    }
  };
}

function waitForFree(
  isBusy: (key: string) => Promise<boolean>,
  watch: NonNullable<PaymentRecordStore["watch"]>,
  key: string,
  timeoutMs: number,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const end = (isFree: boolean): void => {
      stop?.();
      clearTimeout(timer);
      resolve(isFree);
    };
    // Watched before it is read, so that no end is missed in between.
    const stop = watch(key, () => end(true));
    const timer = setTimeout(() => end(false), timeoutMs);
    if (!stop) return end(false);
    isBusy(key).then((busy) => busy || end(true), reject);
  });
}
