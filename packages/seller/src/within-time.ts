/** Bounds a wait: rejects with a text that says who was late. A late result goes to `undo`. */
export function withinTime<T>(
  call: Promise<T>,
  timeoutMs: number,
  late: string,
  undo: (result: T) => Promise<unknown> = async () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(late));
      call.then(undo).catch(() => undefined);
    }, timeoutMs);
    call.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
