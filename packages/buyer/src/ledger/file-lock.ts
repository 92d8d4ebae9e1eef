/**
 * An exclusive lock between processes: a transaction on an empty SQLite database holds a lock of
 * the operating system, which ends with the process. No lock can be stale.
 */
import { chmodSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

export class LedgerBusyError extends Error {
  override readonly name = "LedgerBusyError";
}

/** A write takes milliseconds: a process that holds the lock for ten seconds hangs. */
const waitMsMax = 10_000;
/** About as long as one write with its sync takes. */
const tryEveryMs = 5;

export class FileLock {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Rejects with a LedgerBusyError after ten seconds. */
  async hold<T>(run: () => Promise<T>): Promise<T> {
    // Loaded here, so that older versions of Node.js can still read a ledger.
    const sqlite = await import("node:sqlite");
    const database = new sqlite.DatabaseSync(this.#path, { timeout: 0 });
    try {
      chmodSync(this.#path, 0o600);
      await this.#begin(database);
      return await run();
    } finally {
      // Releases the lock.
      database.close();
    }
  }

  async #begin(database: DatabaseSync): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += tryEveryMs) {
      try {
        return database.exec("BEGIN EXCLUSIVE");
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (waitedMs >= waitMsMax) {
          throw new LedgerBusyError(`Another process holds ${this.#path}.`, { cause: error });
        }
      }
      await new Promise((resolve) => {
        setTimeout(resolve, tryEveryMs);
      });
    }
  }
}

/** SQLITE_BUSY is in the lower byte. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}
