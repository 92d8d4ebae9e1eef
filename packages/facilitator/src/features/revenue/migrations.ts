/** Sums of revenue, the mark of each settlement that is in them, and customers. */
import type { Migrations } from "@farthing/engine/storage";
import { sql } from "kysely";

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
  "0002-customers": async (db) => {
    await db.schema
      .createTable("customers")
      .addColumn("account", "text", (column) => column.notNull())
      .addColumn("chain_id", "integer", (column) => column.notNull())
      .addColumn("payer", "text", (column) => column.notNull())
      .addColumn("settlements", "bigint", (column) => column.notNull())
      .addColumn("units", "bigint", (column) => column.notNull())
      .addColumn("first_at", "bigint", (column) => column.notNull())
      .addColumn("last_at", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("customers_key", ["account", "chain_id", "payer"])
      .execute();
    await sql`insert into customers
      select books.account, sold.chain_id, sold.payer, count(*), sum(cast(sold.amount as bigint)),
        min(sold.created_at), max(sold.created_at)
      from settlement_books as books join settlements as sold on sold.id = books.settlement_id
      where books.is_counted = 1 group by books.account, sold.chain_id, sold.payer`.execute(db);
    for (const rank of ["units", "last_at"]) {
      await db.schema
        .createIndex(`customers_${rank}`)
        .on("customers")
        .columns(["account", "chain_id", rank, "payer"])
        .execute();
    }
  },
};
