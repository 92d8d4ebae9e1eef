/**
 * Payment records in a SQLite file, for all processes of a machine that sell the same routes. Each
 * decision is on the disk before anything is sent: that `/settle` goes out, with the response
 * made for it, and the outcome.
 */
import { createPaymentRecords } from "./create-payment-records.ts";
import { defaultMaxResponseBytes } from "./retention.ts";
import type { PaymentRecords } from "./payment-records.ts";
import { openRecords } from "./sqlite-file.ts";
import { SqliteStore } from "./sqlite-store.ts";

/** The file and the bounds of the payment records. */
export interface SqliteGrantOptions {
  /** The file; created when there is none. */
  readonly path: string;
  /** Most records at once. */
  readonly entriesMax?: number;
  /** Longest body that is kept for a repeat, in bytes. */
  readonly answerBytesMax?: number;
  /** Most bytes of bodies together; the oldest delivered ones go first. */
  readonly totalBytesMax?: number;
  /** How long a paid response can be fetched again, in milliseconds; ten minutes at most. */
  readonly replayMs?: number;
  /** How long the lease of a process that does not renew it stays in force, in milliseconds. */
  readonly leaseMs?: number;
  /** Milliseconds since the Unix epoch; the same for all processes. */
  readonly now?: () => number;
}

/** Payment records in a file, to be closed at the end. */
export interface SqliteGrants extends PaymentRecords {
  /** Bytes of the bodies that are kept, of all processes. */
  keptBytes(): number;
  close(): void;
}

/** A gigabyte at most, with the bodies: one day of two payments a second. */
const defaultMaxEntries = 200_000;
const defaultMaxTotalBytes = 512 * 1024 * 1024;

/** How long a statement waits for another process's transaction, each of which takes milliseconds. */
const busyTimeoutMs = 5_000;

/** Pause between two polls of a waiting request: unnoticeable beside a block of two seconds. */
const pollMs = 25;

/** Opens the payment records in a file. Throws when the file cannot be used. */
export function createSqliteGrants(options: SqliteGrantOptions): SqliteGrants {
  const {
    path,
    entriesMax = defaultMaxEntries,
    answerBytesMax = defaultMaxResponseBytes,
    totalBytesMax = defaultMaxTotalBytes,
    replayMs,
    leaseMs,
    now = Date.now,
  } = options;
  const database = openRecords(path, busyTimeoutMs);
  const store = new SqliteStore(database, { entriesMax, totalBytesMax, now });
  const records = createPaymentRecords(store, {
    answerBytesMax,
    totalBytesMax,
    pollMs,
    replayMs,
    leaseMs,
  });
  return { ...records, keptBytes: () => store.keptBytes, close: () => database.close() };
}
