/** The roles of members. Wallets that were linked before there were roles could do everything. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-roles": async (db) => {
    await db.schema
      .alterTable("account_wallets")
      .addColumn("role", "text", (column) => column.notNull().defaultTo("owner"))
      .execute();
  },
};
