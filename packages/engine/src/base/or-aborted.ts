import { waitEnded } from "./clock.ts";

/** Throws the signal's reason when it aborts first; the work itself continues. */
export async function orAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const stop = () =>
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { signal: done.signal, once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    done.abort(waitEnded);
  }
}
