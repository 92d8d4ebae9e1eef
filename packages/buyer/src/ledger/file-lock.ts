/**
 * An exclusive lock between processes. Node.js has none of its own, SQLite has: a transaction on
 * an empty database holds a lock of the operating system, which ends with the process, however it
 * ends. Nothing has to be cleaned up and no lock can be mistaken for a stale one.
 */
import { chmodSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** Others held the lock for longer than a writer ever needs. */
export class LedgerBusyError extends Error {
  override readonly name = "LedgerBusyError";
}

/** A write takes milliseconds; who waits for ten seconds waits for a process that hangs. */
const waitMsMax = 10_000;
/** Between two tries: about as long as one write with its sync takes. */
const tryEveryMs = 5;

/** The lock at one path. */
export class FileLock {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Runs alone among all processes. Rejects with a LedgerBusyError after ten seconds of waiting. */
  async hold<T>(run: () => Promise<T>): Promise<T> {
    // Loaded here, so that older versions of Node.js can still read a ledger.
    const sqlite = await import("node:sqlite");
    const database = new sqlite.DatabaseSync(this.#path, { timeout: 0 });
    try {
      chmodSync(this.#path, 0o600);
      await this.#begin(database);
      return await run();
    } finally {
      // Gives the lock back.
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

/** SQLITE_BUSY, in the lower byte of the code. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}
