/** The first schema: settlements, relayer transactions, lanes, accounts and API keys. */
import { sql, type Kysely } from "kysely";
import type { IdType } from "../dialect.ts";

/** Creates the tables. `idType` is the engine's self-counting integer. */
export async function up(db: Kysely<unknown>, idType: IdType): Promise<void> {
  await createSettlements(db);
  await createRelayer(db, idType);
  await createAccounts(db);
}

async function createSettlements(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("settlements")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("asset", "text", (column) => column.notNull())
    .addColumn("payer", "text", (column) => column.notNull())
    .addColumn("nonce", "text", (column) => column.notNull())
    .addColumn("pay_to", "text", (column) => column.notNull())
    .addColumn("amount", "text", (column) => column.notNull())
    .addColumn("valid_after", "text", (column) => column.notNull())
    .addColumn("valid_before", "text", (column) => column.notNull())
    .addColumn("signature", "text", (column) => column.notNull())
    .addColumn("payer_has_code", "integer", (column) => column.notNull())
    .addColumn("seen_unused_at", "bigint", (column) => column.notNull())
    .addColumn("network_name", "text", (column) => column.notNull())
    .addColumn("key_id", "text")
    .addColumn("state", "text", (column) =>
      column.notNull().check(sql`state in ('queued', 'submitted', 'confirmed', 'failed')`),
    )
    .addColumn("transaction_id", "bigint")
    .addColumn("transaction_hash", "text")
    .addColumn("block_number", "bigint")
    .addColumn("block_hash", "text")
    .addColumn("log_index", "integer")
    .addColumn("settled_by", "text", (column) =>
      column.check(sql`settled_by is null or settled_by in ('relayer', 'other')`),
    )
    .addColumn("failure", "text")
    .addColumn("failure_message", "text")
    .addColumn("credits", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("submitted_at", "bigint")
    .addColumn("confirmed_at", "bigint")
    .addColumn("finalized_at", "bigint")
    .addColumn("failed_at", "bigint")
    // The first promise, kept by the database: one row per authorization.
    .addUniqueConstraint("settlements_pair", ["chain_id", "asset", "payer", "nonce"])
    .execute();
  await db.schema
    .createIndex("settlements_state")
    .on("settlements")
    .columns(["chain_id", "state"])
    .execute();
  await db.schema
    .createIndex("settlements_payer_time")
    .on("settlements")
    .columns(["payer", "created_at"])
    .execute();
}

async function createRelayer(db: Kysely<unknown>, idType: IdType): Promise<void> {
  await db.schema
    .createTable("relayer_transactions")
    .addColumn("id", idType, (column) => column.primaryKey())
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("lane", "text", (column) => column.notNull())
    .addColumn("nonce", "bigint", (column) => column.notNull())
    .addColumn("to_address", "text", (column) => column.notNull())
    .addColumn("data", "text", (column) => column.notNull())
    .addColumn("gas_limit", "text", (column) => column.notNull())
    .addColumn("gas_price", "text", (column) => column.notNull())
    .addColumn("raw", "text")
    .addColumn("hash", "text", (column) => column.unique())
    .addColumn("state", "text", (column) =>
      column.notNull().check(sql`state in ('intent', 'signed', 'sent', 'mined', 'dropped')`),
    )
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("sent_at", "bigint")
    .addColumn("block_number", "bigint")
    .execute();
  await db.schema
    .createIndex("relayer_transactions_lane")
    .on("relayer_transactions")
    .columns(["chain_id", "lane", "state"])
    .execute();
  await db.schema
    .createTable("transaction_settlements")
    .addColumn("transaction_id", "bigint", (column) => column.notNull())
    .addColumn("settlement_id", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("transaction_settlements_key", ["transaction_id", "settlement_id"])
    .execute();
  await db.schema
    .createIndex("transaction_settlements_settlement")
    .on("transaction_settlements")
    .column("settlement_id")
    .execute();
  await db.schema
    .createTable("lanes")
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("lane", "text", (column) => column.notNull())
    .addColumn("next_nonce", "bigint", (column) => column.notNull())
    .addColumn("lease_owner", "text")
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .addColumn("fence", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("lanes_key", ["chain_id", "lane"])
    .execute();
}

async function createAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("accounts")
    .addColumn("address", "text", (column) => column.primaryKey())
    .addColumn("plan", "text", (column) =>
      column.notNull().check(sql`plan in ('active', 'inactive')`),
    )
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("api_keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account", "text", (column) => column.notNull().references("accounts.address"))
    .addColumn("mode", "text", (column) => column.notNull())
    .addColumn("label", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("last_four", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .execute();
  await db.schema.createIndex("api_keys_account").on("api_keys").column("account").execute();
}
