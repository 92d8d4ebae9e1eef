/** How a settlement had failed before a third party made its payment: it fails again if that block vanishes. */
import type { Kysely } from "kysely";

/** Adds columns without a value, which changes no row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ["earlier_failure", "earlier_failure_message"]) {
    await db.schema.alterTable("settlements").addColumn(name, "text").execute();
  }
}
