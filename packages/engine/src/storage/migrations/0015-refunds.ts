/** Refunds: settlements that return the money of a payment to its payer. */
import type { Kysely } from "kysely";

/** Adds a column without a value, which changes no row, and the table. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("settlements").addColumn("refund_of", "text").execute();
  // Beside the column, because an index on settlements would first have to read all of them.
  await db.schema
    .createTable("refunds")
    .addColumn("refund_id", "text", (column) => column.primaryKey())
    .addColumn("settlement_id", "text", (column) => column.notNull())
    .addColumn("ordinal", "integer", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("refunds_settlement")
    .on("refunds")
    .columns(["settlement_id", "ordinal"])
    .unique()
    .execute();
}
