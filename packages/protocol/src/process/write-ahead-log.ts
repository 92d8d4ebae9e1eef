/** Turns on the write-ahead log of a SQLite file, also where another process does so at that moment. */

/** Another process writes its tables within a few of these. */
const pauseMs = 5;

/** SQLITE_BUSY. */
const busyCode = 5;

/**
 * Waits for other processes up to `busyTimeoutMs`. SQLite's own timeout does not cover this statement:
 * it fails at once where another connection writes, as two processes do that start on a new file.
 */
export function useWriteAheadLog(
  database: { exec(statement: string): void },
  busyTimeoutMs: number,
): void {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      database.exec("pragma journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= busyTimeoutMs) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === busyCode;
}
