/** Limits of callers without a key: counters, what open settlements have counted, proven payees. */
import type { Kysely } from "kysely";

/** Creates the tables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("keyless_counters")
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    // The part of a window that is counted; 0 for buckets, which have one row.
    .addColumn("slot", "bigint", (column) => column.notNull())
    .addColumn("amount", "bigint", (column) => column.notNull())
    // Of buckets: the hour in which the amount was right, and what flows back per hour.
    .addColumn("hour", "bigint", (column) => column.notNull())
    .addColumn("refill", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("keyless_counters_key", ["chain_id", "kind", "name", "slot"])
    .execute();
  // Counters are removed after their window, so that they never become a log of who paid.
  await db.schema
    .createIndex("keyless_counters_expiry")
    .on("keyless_counters")
    .column("expires_at")
    .execute();
  // One row per open settlement without a key; removed with its outcome.
  await db.schema
    .createTable("keyless_charges")
    .addColumn("settlement_id", "text", (column) => column.primaryKey())
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("payer", "text", (column) => column.notNull())
    .addColumn("spent_slot", "bigint")
    .addColumn("spent", "bigint", (column) => column.notNull())
    .addColumn("count_slot", "bigint")
    .addColumn("half", "text")
    .addColumn("caller_network", "text")
    .addColumn("gwei", "bigint", (column) => column.notNull())
    .execute();
  // The first payers and days of a payee's final settlements: a handful of rows per payee.
  await db.schema
    .createTable("keyless_payee_facts")
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("pay_to", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("keyless_payee_facts_key", ["chain_id", "pay_to", "kind", "value"])
    .execute();
}
