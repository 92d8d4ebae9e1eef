/**
 * Sums of settlements: of each account by day, and of each price by payer and day. Settlements that
 * were there before are added in the background (`sum-history.ts`), since they may be millions. And
 * the words of listings, which are written with each check.
 */
import { sql, type Kysely } from "kysely";
import type { IdType } from "../dialect.ts";

/** Creates the tables, and notes whether there is a history to add. */
export async function up(db: Kysely<unknown>, idType: IdType): Promise<void> {
  await createWords(db, idType);
  await db.schema
    .createTable("usage_days")
    .addColumn("account", "text", (column) => column.notNull())
    .addColumn("day", "bigint", (column) => column.notNull())
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("outcome", "text", (column) => column.notNull())
    .addColumn("settlements", "bigint", (column) => column.notNull())
    .addColumn("units", "bigint", (column) => column.notNull())
    .addColumn("credits", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("usage_days_key", ["account", "day", "chain_id", "outcome"])
    .execute();
  await createSales(db);
  // Up to where the history is added, in the order of the index settlements_account.
  await db.schema
    .createTable("sums_progress")
    .addColumn("account", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("is_complete", "integer", (column) => column.notNull())
    .execute();
  await sql`insert into sums_progress (account, created_at, id, is_complete)
    select '', 0, '', case when exists (select 1 from settlements) then 0 else 1 end`.execute(db);
}

async function createWords(db: Kysely<unknown>, idType: IdType): Promise<void> {
  // In the order of their bytes, so that the words which begin alike stand together.
  const type = idType === "bigserial" ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable("listing_words")
    .addColumn("word", type, (column) => column.notNull())
    .addColumn("listing_id", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("listing_words_key", ["word", "listing_id"])
    .execute();
  await db.schema
    .createIndex("listing_words_listing")
    .on("listing_words")
    .column("listing_id")
    .execute();
}

async function createSales(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sales_by_payer")
    .addColumn("account", "text", (column) => column.notNull())
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("amount", "text", (column) => column.notNull())
    .addColumn("payer", "text", (column) => column.notNull())
    .addColumn("day", "bigint", (column) => column.notNull())
    .addColumn("settlements", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("sales_by_payer_key", [
      "account",
      "chain_id",
      "amount",
      "payer",
      "day",
    ])
    .execute();
  await db.schema
    .createTable("sales_by_day")
    .addColumn("account", "text", (column) => column.notNull())
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("amount", "text", (column) => column.notNull())
    .addColumn("day", "bigint", (column) => column.notNull())
    .addColumn("settlements", "bigint", (column) => column.notNull())
    // Payers who bought last on this day: the payers of some days are the sum over them.
    .addColumn("payers", "bigint", (column) => column.notNull())
    .addColumn("last_settled_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("sales_by_day_key", ["account", "chain_id", "amount", "day"])
    .execute();
  // Both are forgotten by day.
  for (const table of ["sales_by_payer", "sales_by_day"]) {
    await db.schema.createIndex(`${table}_day`).on(table).column("day").execute();
  }
}
