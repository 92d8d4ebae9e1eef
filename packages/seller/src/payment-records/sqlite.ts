/**
 * Payment records in a SQLite file, for all processes of a machine that sell the same routes. What
 * was decided is on the disk before anything is sent: that `/settle` goes out, with the response
 * made for it, and what came of it.
 */
import { createPaymentRecords } from "./create-payment-records.ts";
import { answerBytesMaxDefault } from "./retention.ts";
import type { PaymentRecords } from "./payment-records.ts";
import { openRecords } from "./sqlite-file.ts";
import { SqliteStore } from "./sqlite-store.ts";

/** Where the payment records are, and their bounds. */
export interface SqliteGrantOptions {
  /** The file; made when there is none. */
  readonly path: string;
  /** Most records at once. */
  readonly entriesMax?: number;
  /** Longest body that is kept for a repeat, in bytes. */
  readonly answerBytesMax?: number;
  /** Most bytes of bodies together; the oldest delivered ones go first. */
  readonly totalBytesMax?: number;
  /** How long a paid answer can be fetched again, in milliseconds; ten minutes at most. */
  readonly replayMs?: number;
  /** How long the lease of a process that is not heard of stays in force, in milliseconds. */
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
const entriesMaxDefault = 200_000;
const totalBytesMaxDefault = 512 * 1024 * 1024;

/** How long a statement waits for another process's transaction, each of which takes milliseconds. */
const busyTimeoutMs = 5_000;

/** How often a waiting request looks: unnoticeable beside a block of two seconds, and cheap. */
const pollMs = 25;

/** Opens the payment records in a file. Throws when the file cannot be used. */
export function createSqliteGrants(options: SqliteGrantOptions): SqliteGrants {
  const {
    path,
    entriesMax = entriesMaxDefault,
    answerBytesMax = answerBytesMaxDefault,
    totalBytesMax = totalBytesMaxDefault,
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
    ...(replayMs === undefined ? {} : { replayMs }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  return { ...records, keptBytes: () => store.keptBytes, close: () => database.close() };
}
