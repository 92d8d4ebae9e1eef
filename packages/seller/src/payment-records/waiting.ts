/** Waiting until the holder of a record ends its work. */
import type { PaymentRecordStore } from "./store.ts";

/** Requests that poll at once in one process, for all payments; the others are told to repeat. */
const pollersMax = 1_000;

/** Creates the waiting: told by the store where it can be watched, else by looking again and again. */
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
    if (pollers >= pollersMax) return false;
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
