import { hexDigits } from "@farthing/protocol";

/** The clock and random source, passed in so that tests control both. */
export interface Runtime {
  now(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Cryptographically random. */
  randomBytes(count: number): Uint8Array;
}

export const systemRuntime: Runtime = {
  now: () => Date.now(),
  sleep,
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      const reason: unknown = signal?.reason;
      reject(reason instanceof Error ? reason : new Error("Aborted."));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Lower-case hexadecimal digits, two for each byte. */
export function randomHex(runtime: Runtime, bytes: number): string {
  return hexDigits(runtime.randomBytes(bytes));
}
