/**
 * Exchanges: what decides whether a repeated settle is told the success once more. The call that
 * claimed a settlement is a fact and kept; how many exchanges were opened with a payment is only
 * needed for an hour, so PostgreSQL keeps it without a log. SQLite keeps it in a file of its own.
 */
import { sql, type Kysely } from "kysely";
import type { IdType } from "../dialect.ts";

/** Creates the tables. */
export async function up(db: Kysely<unknown>, idType: IdType): Promise<void> {
  await db.schema
    .createTable("settlement_claims")
    .addColumn("settlement_id", "text", (column) => column.primaryKey())
    .addColumn("caller_hash", "text")
    .addColumn("key_hash", "text")
    .addColumn("is_upfront", "integer", (column) => column.notNull())
    // Set when the counted exchanges are forgotten and there were several.
    .addColumn("has_several", "integer", (column) => column.notNull())
    .addColumn("success_told_to", "text")
    .execute();
  if (idType !== "bigserial") return;
  for (const statement of unloggedTables) await sql.raw(statement).execute(db);
}

const unloggedTables = [
  `create unlogged table payment_exchanges (
     payer text not null, nonce text not null, chain_id integer not null, asset text not null,
     exchanges integer not null, forget_at bigint not null,
     primary key (payer, nonce, chain_id, asset))`,
  "create index payment_exchanges_forget on payment_exchanges (forget_at)",
  // How many payments of a payer are counted: a bound that is checked without counting rows.
  "create unlogged table payer_exchanges (payer text primary key, payments integer not null)",
];
