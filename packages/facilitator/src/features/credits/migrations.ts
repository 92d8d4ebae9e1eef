/** The month in which an account was last given free credits. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-free-credits": async (db) => {
    await db.schema
      .createTable("free_credits")
      .addColumn("account", "text", (column) => column.primaryKey().references("accounts.address"))
      .addColumn("month", "integer", (column) => column.notNull())
      .execute();
  },
};
