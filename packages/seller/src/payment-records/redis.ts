/**
 * Payment records in Redis, for processes on any number of machines.
 *
 * What survives a crash of Redis depends on its settings: with `appendonly yes` all but the last
 * second, with `appendfsync always` everything. `maxmemory-policy noeviction` keeps Redis from
 * forgetting open settlements; new payments are refused while it is full.
 */
import { createPaymentRecords } from "./create-payment-records.ts";
import type { PaymentRecords } from "./payment-records.ts";
import { RedisStore, type RedisClient } from "./redis-store.ts";
import { defaultMaxResponseBytes } from "./retention.ts";

export type { RedisClient } from "./redis-store.ts";

/** The client and the bounds of the payment records. */
export interface RedisGrantOptions {
  /** Connected already; the seller opens, watches and closes it. */
  readonly client: RedisClient;
  /** Before every key; `farthing:` when absent. */
  readonly prefix?: string;
  /** Longest body that is kept for a repeat, in bytes. */
  readonly answerBytesMax?: number;
  /** How long the lease of a process that does not renew it stays in force, in milliseconds. */
  readonly leaseMs?: number;
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

/** Creates the payment records in Redis. */
export function createRedisGrants(options: RedisGrantOptions): PaymentRecords {
  const {
    client,
    prefix = "farthing:",
    answerBytesMax = defaultMaxResponseBytes,
    leaseMs,
    tokensMax = defaultMaxTokens,
    now,
  } = options;
  const store = new RedisStore({ client, prefix, tokensMax, now });
  return createPaymentRecords(store, { answerBytesMax, pollMs, replyMsMax, leaseMs });
}
