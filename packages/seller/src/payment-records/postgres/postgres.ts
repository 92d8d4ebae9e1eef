/**
 * Payment records in PostgreSQL, for processes on any number of machines. The tables are made in the
 * first schema of the search path where they are missing; their names begin with `farthing_`.
 * @packageDocumentation
 */
import {
  createPaymentRecords,
  type PaymentRecordOptions,
} from "../rules/create-payment-records.ts";
import type { PaymentRecords } from "../rules/payment-records.ts";
import { PostgresStore } from "./record-store.ts";
import type { PostgresClient } from "./tables.ts";

export type { PostgresClient } from "./tables.ts";

export interface PostgresGrantOptions extends Pick<
  PaymentRecordOptions,
  "answerBytesMax" | "leaseMs"
> {
  /** A pool of connections, as of the package `pg`; the seller opens, watches and closes it. */
  readonly client: PostgresClient;
  /** Most tokens of challenges that are remembered; the oldest go first. */
  readonly tokensMax?: number;
  /** Milliseconds since the Unix epoch; the clock of PostgreSQL when absent, which all share. */
  readonly now?: () => number;
}

/** Bounds the wait of a buyer while the pool has no connection. */
const replyMsMax = 5_000;

/** About 200 bytes each: some 10 MB at most. */
const defaultMaxTokens = 50_000;

/** Pause between two polls of a waiting request: unnoticeable beside a block of two seconds. */
const pollMs = 50;

export function createPostgresGrants(options: PostgresGrantOptions): PaymentRecords {
  const { client, tokensMax = defaultMaxTokens, now } = options;
  const store = new PostgresStore({ client, tokensMax, now });
  return createPaymentRecords(store, { ...options, pollMs, replyMsMax });
}
