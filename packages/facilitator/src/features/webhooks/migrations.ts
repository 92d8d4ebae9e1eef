/** Who paused an endpoint, how it is reached, and until when it is left alone. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-paused-by-owner": async (db) => {
    await db.schema
      .alterTable("webhook_endpoints")
      .addColumn("is_paused_by_owner", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
  "0002-channels": async (db) => {
    await db.schema
      .alterTable("webhook_endpoints")
      .addColumn("channel", "text", (column) => column.notNull().defaultTo("webhook"))
      .execute();
    await db.schema
      .alterTable("webhook_endpoints")
      .addColumn("rests_until", "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
