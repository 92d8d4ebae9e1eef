/** Waiting for a store, not for ever. */

/**
 * Returns what a call of the store returns, and throws when that takes longer than `timeoutMs`. A
 * result that comes later goes to `undo`; when that fails as well, the lease ends by itself.
 */
export function inTime<T>(
  call: Promise<T>,
  timeoutMs: number | undefined,
  undo: (late: T) => Promise<unknown> = async () => undefined,
): Promise<T> {
  if (timeoutMs === undefined) return call;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`The store of payment records did not answer within ${timeoutMs} ms.`));
      call.then(undo).catch(() => undefined);
    }, timeoutMs);
    call.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
