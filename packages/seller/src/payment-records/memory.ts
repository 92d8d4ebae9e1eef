/**
 * Payment records in memory, for one process. What a restart forgets cannot be served twice: the
 * facilitator still refuses the used payment, and the buyer gets the proof that they paid.
 */
import { createPaymentRecords } from "./create-payment-records.ts";
import { answerBytesMaxDefault } from "./retention.ts";
import type { PaymentRecords } from "./payment-records.ts";
import { MemoryStore } from "./memory-store.ts";

/** Bounds of the payment records in memory. */
export interface MemoryGrantOptions {
  /** Most records at once. */
  readonly entriesMax?: number;
  /** Longest body that is kept for a repeat, in bytes. */
  readonly answerBytesMax?: number;
  /** Most bytes of bodies together; the oldest go first. */
  readonly totalBytesMax?: number;
  /** How long a paid answer can be fetched again, in milliseconds; ten minutes at most. */
  readonly replayMs?: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/** Payment records in memory. */
export interface MemoryGrants extends PaymentRecords {
  /** Bytes of the bodies that are kept. */
  keptBytes(): number;
}

/** About 1 kB each: tens of megabytes at most. */
const entriesMaxDefault = 20_000;
const totalBytesMaxDefault = 64 * 1024 * 1024;

/** Creates an empty store of payment records. */
export function createMemoryGrants(options: MemoryGrantOptions = {}): MemoryGrants {
  const {
    entriesMax = entriesMaxDefault,
    answerBytesMax = answerBytesMaxDefault,
    totalBytesMax = totalBytesMaxDefault,
    replayMs,
    now = Date.now,
  } = options;
  const store = new MemoryStore({ entriesMax, totalBytesMax, now });
  // A lease ends with its process, so it needs no other end.
  const bounds = { answerBytesMax, totalBytesMax, leaseMs: Infinity };
  const records = createPaymentRecords(store, {
    ...bounds,
    ...(replayMs === undefined ? {} : { replayMs }),
  });
  return { ...records, keptBytes: () => store.keptBytes };
}
