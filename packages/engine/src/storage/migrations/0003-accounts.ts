/**
 * Sellers' accounts: wallets, sign-in, sessions, the ledger of credits with its purchases, and
 * webhooks. The ledger's rules are kept by the database itself: see 0003-ledger-triggers.ts.
 */
import { sql, type Kysely } from "kysely";
import type { IdType } from "../dialect.ts";
import { createLedgerTriggers } from "./0003-ledger-triggers.ts";

/** Creates the tables, and adds to those that are there. */
export async function up(db: Kysely<unknown>, idType: IdType): Promise<void> {
  await extendTables(db);
  await createWallets(db);
  await createSessions(db);
  await createLedger(db, idType);
  await createPurchases(db);
  await createWebhooks(db);
  await createLedgerTriggers(db, idType);
}

async function extendTables(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("accounts").addColumn("low_credits_at", "bigint").execute();
  await db.schema
    .alterTable("accounts")
    .addColumn("label", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await db.schema.alterTable("accounts").addColumn("contract_chain_id", "integer").execute();
  await db.schema.alterTable("api_keys").addColumn("replaced_by", "text").execute();
  await db.schema.alterTable("settlements").addColumn("account", "text").execute();
  await db.schema.alterTable("settlements").addColumn("request_id", "text").execute();
  await sql`update settlements set account = (select api_keys.account from api_keys where api_keys.id = settlements.key_id) where key_id is not null`.execute(
    db,
  );
  // What was settled without a key has no history to be listed.
  await sql`create index settlements_account on settlements (account, created_at, id) where account is not null`.execute(
    db,
  );
  // Only what was settled without a key is capped. An index on every payer would also serve to find
  // an authorization, and did: by reading all that its payer has ever paid.
  await db.schema.dropIndex("settlements_payer_time").execute();
  await sql`create index settlements_capped on settlements (payer, created_at) where key_id is null`.execute(
    db,
  );
  await db.schema.alterTable("relayer_transactions").addColumn("gas_used", "bigint").execute();
  await db.schema.alterTable("relayer_transactions").addColumn("gas_price_paid", "text").execute();
}

async function createWallets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("account_wallets")
    .addColumn("account", "text", (column) => column.notNull().references("accounts.address"))
    .addColumn("address", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) =>
      column.notNull().check(sql`kind in ('plain', 'contract')`),
    )
    .addColumn("chain_id", "integer")
    .addColumn("linked_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("account_wallets_key", ["account", "address"])
    // A contract is somebody's on one chain; its own address never has to be linked.
    .addCheckConstraint("account_wallets_chain", sql`(kind = 'contract') = (chain_id is not null)`)
    .addCheckConstraint("account_wallets_other", sql`address <> account`)
    .execute();
  await db.schema
    .createIndex("account_wallets_address")
    .on("account_wallets")
    .column("address")
    .execute();
}

async function createSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sign_requests")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("purpose", "text", (column) => column.notNull())
    .addColumn("address", "text", (column) => column.notNull())
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("account", "text")
    .addColumn("message", "text", (column) => column.notNull())
    .addColumn("binding", "text", (column) => column.notNull())
    .addColumn("details", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("sign_requests_end")
    .on("sign_requests")
    .column("expires_at")
    .execute();
  await db.schema
    .createTable("sessions")
    .addColumn("id_hash", "text", (column) => column.primaryKey())
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("account", "text", (column) => column.notNull().references("accounts.address"))
    .addColumn("wallet", "text", (column) => column.notNull())
    .addColumn("wallet_kind", "text", (column) => column.notNull())
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_seen_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("revoked_at", "bigint")
    .execute();
  await db.schema.createIndex("sessions_account").on("sessions").column("account").execute();
}

async function createLedger(db: Kysely<unknown>, idType: IdType): Promise<void> {
  await db.schema
    .createTable("credit_balances")
    .addColumn("account", "text", (column) => column.primaryKey().references("accounts.address"))
    .addColumn("balance", "bigint", (column) => column.notNull().check(sql`balance >= 0`))
    .execute();
  await db.schema
    .createTable("credit_entries")
    .addColumn("id", idType, (column) => column.primaryKey())
    .addColumn("account", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) =>
      column
        .notNull()
        .check(
          sql`kind in ('purchase', 'grant', 'adjustment', 'hold', 'charge', 'release', 'reopen')`,
        ),
    )
    .addColumn("credits", "bigint", (column) => column.notNull())
    .addColumn("settlement_id", "text")
    // Counts a settlement's entries: each follows the one before, so none is there twice.
    .addColumn("step", "integer")
    .addColumn("purchase_id", "text", (column) => column.unique())
    .addColumn("actor", "text")
    .addColumn("note", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addUniqueConstraint("credit_entries_step", ["settlement_id", "step"])
    .addCheckConstraint(
      "credit_entries_sign",
      sql`case kind when 'hold' then credits < 0 when 'charge' then credits = 0 when 'reopen' then credits = 0 when 'adjustment' then credits <> 0 else credits > 0 end`,
    )
    .addCheckConstraint(
      "credit_entries_settlement",
      sql`(kind in ('hold', 'charge', 'release', 'reopen')) = (settlement_id is not null) and (settlement_id is null) = (step is null)`,
    )
    .addCheckConstraint(
      "credit_entries_purchase",
      sql`(kind = 'purchase') = (purchase_id is not null)`,
    )
    .execute();
  await db.schema
    .createIndex("credit_entries_account")
    .on("credit_entries")
    .columns(["account", "id"])
    .execute();
}

async function createPurchases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("credit_purchases")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account", "text", (column) => column.notNull().references("accounts.address"))
    .addColumn("chain_id", "integer", (column) => column.notNull())
    .addColumn("payer", "text")
    .addColumn("credits", "bigint", (column) => column.notNull().check(sql`credits > 0`))
    .addColumn("units", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) =>
      column
        .notNull()
        .check(
          sql`state in ('awaiting_payment', 'settling', 'confirmed', 'held', 'credited', 'rejected', 'failed', 'expired', 'canceled')`,
        ),
    )
    .addColumn("settlement_id", "text", (column) => column.unique())
    .addColumn("hold_reason", "text")
    .addColumn("failure_message", "text")
    .addColumn("reviewer", "text")
    .addColumn("review_note", "text")
    .addColumn("transaction_hash", "text")
    .addColumn("block_number", "bigint")
    .addColumn("log_index", "integer")
    .addColumn("timeline", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addColumn("credited_at", "bigint")
    // One log pays one purchase.
    .addUniqueConstraint("credit_purchases_log", ["chain_id", "transaction_hash", "log_index"])
    .execute();
  await db.schema
    .createIndex("credit_purchases_account")
    .on("credit_purchases")
    .columns(["account", "created_at", "id"])
    .execute();
  await db.schema
    .createIndex("credit_purchases_state")
    .on("credit_purchases")
    .columns(["state", "updated_at"])
    .execute();
}

async function createWebhooks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("webhook_endpoints")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account", "text", (column) => column.notNull().references("accounts.address"))
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("events", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("disabled_at", "bigint")
    .addColumn("paused_at", "bigint")
    .addColumn("watched_since", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("webhook_endpoints_account")
    .on("webhook_endpoints")
    .column("account")
    .execute();
  await db.schema
    .createTable("webhook_deliveries")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("endpoint_id", "text", (column) =>
      column.notNull().references("webhook_endpoints.id"),
    )
    .addColumn("account", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) =>
      column.notNull().check(sql`state in ('pending', 'delivered', 'failed')`),
    )
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("next_at", "bigint", (column) => column.notNull())
    .addColumn("last_status", "integer")
    .addColumn("last_error", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("delivered_at", "bigint")
    .execute();
  await db.schema
    .createIndex("webhook_deliveries_due")
    .on("webhook_deliveries")
    .columns(["state", "next_at"])
    .execute();
  await db.schema
    .createIndex("webhook_deliveries_endpoint")
    .on("webhook_deliveries")
    .columns(["endpoint_id", "created_at", "id"])
    .execute();
}
