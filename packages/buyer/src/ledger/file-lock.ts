/** A lock between processes: the system's own on an SQLite file, which ends with the process. */
import { chmodSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

export class LedgerBusyError extends Error {
  override readonly name = "LedgerBusyError";
}

/** A write takes milliseconds: a process that holds the lock for ten seconds hangs. */
const waitMsMax = 10_000;
/** About as long as one write with its sync takes. */
const tryEveryMs = 5;

/** Runs while it holds the lock. Rejects with a LedgerBusyError after ten seconds. */
export async function holdingLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  // Loaded here, so that older versions of Node.js can still read a ledger.
  const sqlite = await import("node:sqlite");
  const database = new sqlite.DatabaseSync(path, { timeout: 0 });
  try {
    chmodSync(path, 0o600);
    await lock(database, path);
    return await run();
  } finally {
    // Releases the lock.
    database.close();
  }
}

async function lock(database: DatabaseSync, path: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += tryEveryMs) {
    try {
      return database.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (waitedMs >= waitMsMax) {
        throw new LedgerBusyError(`Another process holds ${path}.`, { cause: error });
      }
    }
    await new Promise((resolve) => {
      setTimeout(resolve, tryEveryMs);
    });
  }
}

/** SQLITE_BUSY is in the lower byte. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}
