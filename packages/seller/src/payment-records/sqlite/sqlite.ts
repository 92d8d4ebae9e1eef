/**
 * Payment records in a SQLite file, for all processes of a machine that sell the same routes. Each
 * decision is on the disk before anything is sent: that `/settle` goes out, with the response
 * made for it, and the outcome.
 * @packageDocumentation
 */
import { createPaymentRecords } from "../rules/create-payment-records.ts";
import type { MemoryGrantOptions, MemoryGrants } from "../memory/memory.ts";
import { openRecords } from "./file.ts";
import { SqliteStore } from "./record-store.ts";

export interface SqliteGrantOptions extends MemoryGrantOptions {
  /** The file; created when there is none. */
  readonly path: string;
  /** How long the lease of a process that does not renew it stays in force, in milliseconds. */
  readonly leaseMs?: number;
}

/** Payment records in a file, to be closed at the end. */
export interface SqliteGrants extends MemoryGrants {
  close(): void;
}

/** A gigabyte at most, with the bodies: one day of two payments a second. */
const defaultMaxEntries = 200_000;
const defaultMaxTotalBytes = 512 * 1024 * 1024;

/** How long a statement waits for another process's transaction, each of which takes milliseconds. */
const busyTimeoutMs = 5_000;

/** Opens the payment records in a file. Throws when the file cannot be used. */
export function createSqliteGrants(options: SqliteGrantOptions): SqliteGrants {
  const { entriesMax = defaultMaxEntries, totalBytesMax = defaultMaxTotalBytes } = options;
  const database = openRecords(options.path, busyTimeoutMs);
  const bounds = { entriesMax, totalBytesMax, now: options.now ?? Date.now };
  const store = new SqliteStore(database, bounds);
  const records = createPaymentRecords(store, { ...options, totalBytesMax });
  return { ...records, keptBytes: () => store.keptBytes, close: () => database.close() };
}
