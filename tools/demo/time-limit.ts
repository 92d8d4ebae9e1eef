/** A time limit. */

/** Waits for `work`, at most so many milliseconds; then throws `problem`. */
export async function within<T>(limitMs: number, problem: string, work: Promise<T>): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => limit.reject(new Error(`${problem} within ${limitMs / 1000} s`)),
    limitMs,
  );
  try {
    return await Promise.race([work, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
