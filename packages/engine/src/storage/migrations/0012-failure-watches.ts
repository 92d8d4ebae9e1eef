/** Failed settlements whose authorizations somebody else may still submit. */
import type { Kysely } from "kysely";

/** Creates the table. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("failure_watches")
    .addColumn("settlement_id", "text", (column) => column.primaryKey())
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("failed_at", "bigint", (column) => column.notNull())
    // When the authorization expires, in milliseconds, or the furthest time there is.
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("next_look_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("failure_watches_next_look")
    .on("failure_watches")
    .columns(["chain_id", "next_look_at"])
    .execute();
}
