/**
 * Takes the notices of an address from the outbox, all of them for one mail. Taking them has the
 * address rest, so that no process takes more of it for a while, whatever becomes of the mail.
 */
import { sql } from "kysely";
import { atomic, type Database } from "@farthing/engine/storage";
import {
  findWaitingEndpoints,
  leaseUntil,
  lockDue,
  type AttemptResult,
} from "../webhooks/due-delivery-store.ts";
import type { WebhookDelivery } from "../webhooks/model.ts";
import { endpointTable } from "../webhooks/tables.ts";
import type { Digest } from "./model.ts";

/** Notices of one statement: some ten milliseconds of the database. */
export const groupMax = 500;

export interface DigestOptions {
  readonly now: number;
  /** Until then the address rests, and its notices are leased. */
  readonly until: number;
  readonly limit: number;
}

/** The result of a mail for its notices. */
export type DigestResult = Omit<AttemptResult, "retryAt"> & {
  /** Of the notices that have been attempted fewer than `triesMax` times. */
  readonly retryAt: number;
  readonly triesMax: number;
};

export function digestMethods(database: Database) {
  return {
    /** Leases the first `groupMax` notices of addresses that do not rest, and counts the attempt. */
    takeDigests: atomic(database, takeDigests),
    /** Leases further notices of a digest, at most `groupMax`; none when all are taken. */
    takeFurther: atomic(database, takeFurther),
    /** Records the result for at most `groupMax` notices of a digest; returns how many were left. */
    recordDigest: atomic(database, recordDigest),
  };
}

async function takeDigests(
  inside: Database,
  { now, until, limit }: DigestOptions,
): Promise<Digest[]> {
  const digests: Digest[] = [];
  for (const id of await findWaitingEndpoints(inside, "email", { now, limit })) {
    const row = await inside.db
      .updateTable("webhook_endpoints")
      .set({ rests_until: until })
      .where("id", "=", id)
      .where("rests_until", "<=", now)
      .where("paused_at", "is", null)
      .where("disabled_at", "is", null)
      .returningAll()
      .executeTakeFirst();
    // Another process has taken it, or its owner paused it.
    if (!row) continue;
    const deliveries = await takeFurther(inside, id, { now, until });
    digests.push({ endpoint: endpointTable.read(row), deliveries, leasedUntil: until });
  }
  return digests;
}

async function takeFurther(
  inside: Database,
  endpointId: string,
  { now, until }: Pick<DigestOptions, "now" | "until">,
): Promise<WebhookDelivery[]> {
  const ids = await lockDue(inside, endpointId, { now, limit: groupMax });
  return ids.length === 0 ? [] : leaseUntil(inside, ids, until);
}

async function recordDigest(
  { db }: Database,
  { endpoint, leasedUntil }: Pick<Digest, "endpoint" | "leasedUntil">,
  { isDelivered, status, error, retryAt, triesMax }: DigestResult,
  now: number,
): Promise<number> {
  const isLast = sql<boolean>`attempts >= ${triesMax}`;
  const result = await db
    .updateTable("webhook_deliveries")
    .set({
      last_status: status,
      last_error: error,
      ...(isDelivered
        ? { state: "delivered" as const, delivered_at: now }
        : {
            state: sql<"failed" | "pending">`case when ${isLast} then 'failed' else 'pending' end`,
            next_at: retryAt,
          }),
    })
    .where("id", "in", (query) =>
      query
        .selectFrom("webhook_deliveries")
        .select("id")
        .where("endpoint_id", "=", endpoint.id)
        // A literal, so that SQLite sees that the partial index applies.
        .where("state", "=", sql.lit("pending"))
        .where("next_at", "=", leasedUntil)
        // A notice of that very millisecond is not one of them.
        .where("attempts", ">", 0)
        .limit(groupMax),
    )
    .executeTakeFirst();
  if (!isDelivered) {
    await db
      .updateTable("webhook_endpoints")
      .set({ rests_until: retryAt })
      .where("id", "=", endpoint.id)
      .execute();
  }
  return Number(result.numUpdatedRows);
}
