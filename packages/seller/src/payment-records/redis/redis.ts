/**
 * Payment records in Redis, for processes on any number of machines.
 *
 * What survives a crash of Redis depends on its settings: with `appendonly yes` all but the last
 * second, with `appendfsync always` everything. `maxmemory-policy noeviction` keeps Redis from
 * forgetting open settlements; new payments are refused while it is full.
 * @packageDocumentation
 */
import {
  createPaymentRecords,
  type PaymentRecordOptions,
} from "../rules/create-payment-records.ts";
import type { PaymentRecords } from "../rules/payment-records.ts";
import { RedisStore, type RedisClient } from "./record-store.ts";

export type { RedisClient } from "./record-store.ts";

export interface RedisGrantOptions extends Pick<
  PaymentRecordOptions,
  "answerBytesMax" | "leaseMs"
> {
  /** Connected already; the seller opens, watches and closes it. */
  readonly client: RedisClient;
  /** Before every key; `farthing:` when absent. */
  readonly prefix?: string;
  /** Most tokens of challenges that are remembered; the oldest go first. */
  readonly tokensMax?: number;
  /** Milliseconds since the Unix epoch; the clock of Redis when absent, which all share. */
  readonly now?: () => number;
}

/** Bounds the wait of a buyer while the client of Redis keeps commands for a lost connection. */
const replyMsMax = 5_000;

/** About 400 bytes each: some 20 MB at most. */
const defaultMaxTokens = 50_000;

/** Pause between two polls of a waiting request: unnoticeable beside a block of two seconds. */
const pollMs = 50;

export function createRedisGrants(options: RedisGrantOptions): PaymentRecords {
  const { client, prefix = "farthing:", tokensMax = defaultMaxTokens, now } = options;
  const store = new RedisStore({ client, prefix, tokensMax, now });
  return createPaymentRecords(store, { ...options, pollMs, replyMsMax });
}
