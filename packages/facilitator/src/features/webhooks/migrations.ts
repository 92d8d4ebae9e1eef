/** Who paused an endpoint. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-paused-by-owner": async (db) => {
    await db.schema
      .alterTable("webhook_endpoints")
      .addColumn("is_paused_by_owner", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
