/** What open settlements of contract payers reserve of the budget for reverted gas. */
import type { Kysely } from "kysely";

/** Creates the table. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // One row per open settlement of a contract payer; removed with its outcome.
  await db.schema
    .createTable("reverted_gas_reservations")
    .addColumn("settlement_id", "text", (column) => column.primaryKey())
    .addColumn("half", "text", (column) => column.notNull())
    .addColumn("gwei", "bigint", (column) => column.notNull())
    .execute();
}
