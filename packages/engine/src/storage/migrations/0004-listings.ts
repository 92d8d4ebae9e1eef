/** Listings: endpoints that sellers offer to the public, and where their checks stand. */
import { sql, type Kysely } from "kysely";

/** Creates the table. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("listings")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account", "text", (column) => column.notNull().references("accounts.address"))
    .addColumn("resource", "text", (column) => column.notNull())
    .addColumn("host", "text", (column) => column.notNull())
    .addColumn("method", "text", (column) => column.notNull())
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("amount", "text", (column) => column.notNull())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("tags", "text", (column) => column.notNull())
    .addColumn("mime_type", "text")
    .addColumn("sample", "text", (column) => column.notNull())
    // In lower case: what words are looked for in.
    .addColumn("search_text", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) =>
      column.notNull().check(sql`state in ('pending', 'live', 'failing', 'hidden', 'blocked')`),
    )
    .addColumn("checked_at", "bigint")
    .addColumn("tried_at", "bigint")
    .addColumn("passed_at", "bigint")
    .addColumn("next_at", "bigint", (column) => column.notNull())
    .addColumn("failures", "integer", (column) => column.notNull())
    .addColumn("reason", "text")
    .addColumn("message", "text", (column) => column.notNull())
    .addColumn("differences", "text", (column) => column.notNull())
    .addColumn("seen", "text")
    // Who checks it holds it until then; the fence tells what is checked from what was changed.
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .addColumn("fence", "bigint", (column) => column.notNull())
    .addColumn("settlements_30d", "bigint", (column) => column.notNull())
    .addColumn("units_30d", "text", (column) => column.notNull())
    .addColumn("payers_30d", "bigint", (column) => column.notNull())
    .addColumn("last_settled_at", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addUniqueConstraint("listings_endpoint", ["account", "resource", "method", "chain_id"])
    .execute();
  await db.schema.createIndex("listings_due").on("listings").column("next_at").execute();
  // The public's pages, and what a search puts into order.
  await db.schema
    .createIndex("listings_newest")
    .on("listings")
    .columns(["created_at", "id"])
    .execute();
  // A payment with a bazaar extension is looked up by what it names.
  await db.schema
    .createIndex("listings_resource")
    .on("listings")
    .columns(["resource", "account"])
    .execute();
}
