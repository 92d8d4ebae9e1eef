/** The table of books, beside that of settlements, which stays as it is. */
import type { Migrations } from "@farthing/engine/storage";
import { sql } from "kysely";

export const migrations: Migrations = {
  "0001-books": async (db) => {
    await db.schema
      .createTable("settlement_books")
      .addColumn("settlement_id", "text", (column) => column.primaryKey())
      .addColumn("account", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("resource", "text")
      .addColumn("route", "text")
      .addColumn("reference", "text")
      .execute();
    for (const name of ["resource", "route", "reference"]) {
      const column = sql.ref(name);
      await sql`create index ${sql.ref(`settlement_books_${name}`)}
        on settlement_books (account, ${column}, created_at, settlement_id)
        where ${column} is not null`.execute(db);
    }
  },
  "0002-opens": async (db) => {
    await db.schema.alterTable("settlement_books").addColumn("opens", "text").execute();
  },
};
