/** The month in which an account was last given free credits, and the present fee of a settlement. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-free-credits": async (db) => {
    await db.schema
      .createTable("free_credits")
      .addColumn("account", "text", (column) => column.primaryKey().references("accounts.address"))
      .addColumn("month", "integer", (column) => column.notNull())
      .execute();
  },
  "0002-settlement-fee": async (db) => {
    await db.schema
      .createTable("settlement_fee")
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("rule", "text", (column) => column.notNull())
      .addColumn("credits", "bigint", (column) => column.notNull())
      .addColumn("before", "bigint")
      .addColumn("since", "bigint", (column) => column.notNull())
      .execute();
  },
};
