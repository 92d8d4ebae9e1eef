/** The names of the participants in settlements, without which a database is not opened again. */
import { sql, type Kysely } from "kysely";

/** Those of every service before this migration. */
const earlierNames = [
  "aggregates",
  "api-keys",
  "credits",
  "keyless-limits",
  "purchases",
  "webhooks",
] as const;

/** Creates the table; a database that has been used belongs to a service with all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("participants")
    .addColumn("name", "text", (column) => column.primaryKey())
    .execute();
  for (const name of earlierNames) {
    await sql`insert into participants (name) select cast(${name} as text)
      where exists (select 1 from accounts) or exists (select 1 from settlements)`.execute(db);
  }
}
