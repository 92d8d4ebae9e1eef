/**
 * Payment records in Redis, for processes on any number of machines. The client is the seller's
 * own.
 *
 * How much survives a crash of Redis is set there: with `appendonly yes` nothing but the last
 * second, with `appendfsync always` everything. `maxmemory-policy noeviction` keeps Redis from
 * forgetting open settlements; when it is full then, no new payment is taken.
 */
import { createPaymentRecords } from "./create-payment-records.ts";
import type { PaymentRecords } from "./payment-records.ts";
import { RedisStore, type RedisClient } from "./redis-store.ts";
import { answerBytesMaxDefault } from "./retention.ts";

export type { RedisClient } from "./redis-store.ts";

/** Where the payment records are, and their bounds. */
export interface RedisGrantOptions {
  /** Connected already; the seller opens, watches and closes it. */
  readonly client: RedisClient;
  /** Before every key; `farthing:` when absent. */
  readonly prefix?: string;
  /** Longest body that is kept for a repeat, in bytes. */
  readonly answerBytesMax?: number;
  /** How long the lease of a process that is not heard of stays in force, in milliseconds. */
  readonly leaseMs?: number;
  /** Most tokens of challenges that are remembered with their payers; the oldest go first. */
  readonly tokensMax?: number;
  /** Milliseconds since the Unix epoch; the clock of Redis when absent, which all share. */
  readonly now?: () => number;
}

/**
 * Longest wait for a reply of Redis before a payment is acquired, in milliseconds. Its client keeps
 * commands while the connection is away, and buyers must not hang for as long.
 */
const replyMsMax = 5_000;

/** About 400 bytes each: some 20 MB at most, whoever shows them. */
const tokensMaxDefault = 50_000;

/** How often a waiting request asks: unnoticeable beside a block of two seconds. */
const pollMs = 50;

/** Creates the payment records in Redis. */
export function createRedisGrants(options: RedisGrantOptions): PaymentRecords {
  const {
    client,
    prefix = "farthing:",
    answerBytesMax = answerBytesMaxDefault,
    leaseMs,
    tokensMax = tokensMaxDefault,
    now,
  } = options;
  const store = new RedisStore({ client, prefix, tokensMax, ...(now ? { now } : {}) });
  const lease = leaseMs === undefined ? {} : { leaseMs };
  return createPaymentRecords(store, { answerBytesMax, pollMs, replyMsMax, ...lease });
}
