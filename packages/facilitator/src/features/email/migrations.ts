/** Confirmations of addresses, and the counts that limit them. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-confirmations": async (db) => {
    await db.schema
      .createTable("email_confirmations")
      .addColumn("endpoint_id", "text", (column) =>
        column.primaryKey().references("webhook_endpoints.id"),
      )
      .addColumn("token_hash", "text")
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .addColumn("confirmed_at", "bigint")
      .execute();
    // A link is found by its token. Used ones have none.
    await db.schema
      .createIndex("email_confirmations_token")
      .unique()
      .on("email_confirmations")
      .column("token_hash")
      .execute();
    await db.schema
      .createTable("email_counts")
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("since", "bigint", (column) => column.notNull())
      .addColumn("sent", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("email_counts_pkey", ["subject", "since"])
      .execute();
    await db.schema.createIndex("email_counts_since").on("email_counts").column("since").execute();
  },
};
