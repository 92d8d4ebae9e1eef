/**
 * What decides about repeats: when the right to tell a success moved, which other processes must
 * know, and which payment an identifier of a buyer stands for.
 */
import type { Kysely } from "kysely";

/** Adds a column without a value for the rows that are there, and the table. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("settlement_claims").addColumn("success_moved_at", "bigint").execute();
  await db.schema
    .createTable("payment_identifiers")
    .addColumn("name_hash", "text", (column) => column.primaryKey())
    .addColumn("payment_hash", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  // Removed when the payment has ended, so that they never become a log.
  await db.schema
    .createIndex("payment_identifiers_expiry")
    .on("payment_identifiers")
    .column("expires_at")
    .execute();
}
