/** When the right to tell a success moved, which other processes must know. */
import type { Kysely } from "kysely";

/** Adds the column, without a value for what is there: no row is written. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("settlement_claims").addColumn("success_moved_at", "bigint").execute();
}
