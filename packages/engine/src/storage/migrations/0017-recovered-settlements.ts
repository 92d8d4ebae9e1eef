/** When a settlement was found on the chain again, after the database had lost it. */
import type { Kysely } from "kysely";

/** Adds a column without a value, which changes no row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("settlements").addColumn("recovered_at", "bigint").execute();
}
