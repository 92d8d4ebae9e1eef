/** Sums of revenue, and the mark of each settlement that is in them. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-revenue": async (db) => {
    await db.schema
      .createTable("revenue_months")
      .addColumn("account", "text", (column) => column.notNull())
      .addColumn("chain_id", "integer", (column) => column.notNull())
      .addColumn("basis", "text", (column) => column.notNull())
      .addColumn("month", "integer", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("settlements", "bigint", (column) => column.notNull())
      .addColumn("units", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("revenue_months_key", [
        "account",
        "chain_id",
        "basis",
        "month",
        "name",
      ])
      .execute();
    // The names with the most revenue are read without the others.
    await db.schema
      .createIndex("revenue_months_units")
      .on("revenue_months")
      .columns(["account", "chain_id", "basis", "month", "units", "name"])
      .execute();
    await db.schema
      .alterTable("settlement_books")
      .addColumn("is_counted", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
