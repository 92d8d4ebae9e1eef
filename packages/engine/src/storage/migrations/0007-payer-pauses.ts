/** Contract payers whose transactions reverted: until when nothing is carried for them. */
import type { Kysely } from "kysely";

/** Creates the table. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("payer_pauses")
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("payer", "text", (column) => column.notNull())
    // Transactions that reverted one after the other, with too little time between to forget them.
    .addColumn("reverts", "bigint", (column) => column.notNull())
    .addColumn("paused_until", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("payer_pauses_key", ["chain_id", "payer"])
    .execute();
  await db.schema
    .createIndex("payer_pauses_until")
    .on("payer_pauses")
    .column("paused_until")
    .execute();
}
