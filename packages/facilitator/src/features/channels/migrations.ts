/** The vault of channels. */
import { json, type Migrations } from "@farthing/engine/storage";
import type { ChannelConfig } from "@farthing/protocol";
import { sql } from "kysely";
import { claimWithinOf } from "./model.ts";

export const migrations: Migrations = {
  "0001-vouchers": async (db) => {
    await db.schema
      .createTable("channel_vouchers")
      .addColumn("chain_id", "integer", (column) => column.notNull())
      .addColumn("channel_id", "text", (column) => column.notNull())
      .addColumn("account", "text", (column) => column.notNull())
      .addColumn("config", "text", (column) => column.notNull())
      .addColumn("max_claimable_amount", "text", (column) => column.notNull())
      .addColumn("signature", "text", (column) => column.notNull())
      .addColumn("charged", "text", (column) => column.notNull())
      .addColumn("claim_signature", "text")
      .addColumn("balance", "text", (column) => column.notNull())
      .addColumn("claimed", "text", (column) => column.notNull())
      .addColumn("withdraw_requested_at", "bigint", (column) => column.notNull())
      .addColumn("read_at", "bigint", (column) => column.notNull())
      .addColumn("unclaimed_since", "bigint")
      .addColumn("claiming_until", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("channel_vouchers_pk", ["chain_id", "channel_id"])
      .execute();
    await sql`create index channel_vouchers_account
      on channel_vouchers (account, chain_id, channel_id)`.execute(db);
    // Only what is not claimed yet: most channels are idle after a year.
    await sql`create index channel_vouchers_unclaimed
      on channel_vouchers (chain_id, unclaimed_since) where unclaimed_since is not null`.execute(
      db,
    );
  },
  "0002-events": async (db) => {
    const columns = db.schema.alterTable("channel_vouchers");
    await columns
      .addColumn("opened_at", "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
    await columns.addColumn("closed_at", "bigint").execute();
    await columns
      .addColumn("reserved_credits", "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
    // A channel without a voucher is in no list of vouchers.
    await sql`drop index channel_vouchers_account`.execute(db);
    await sql`create index channel_vouchers_kept
      on channel_vouchers (account, chain_id, channel_id) where signature <> '0x'`.execute(db);
    await sql`create index channel_vouchers_opened
      on channel_vouchers (account, chain_id, opened_at, channel_id)`.execute(db);
    await sql`create index channel_vouchers_open
      on channel_vouchers (chain_id) where closed_at is null`.execute(db);
    await db.schema
      .createTable("channel_events")
      .addColumn("chain_id", "integer", (column) => column.notNull())
      .addColumn("channel_id", "text", (column) => column.notNull())
      .addColumn("transaction_hash", "text", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("position", "integer", (column) => column.notNull())
      .addColumn("block_number", "bigint", (column) => column.notNull())
      .addColumn("amount", "text")
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("is_reorganised", "integer", (column) => column.notNull())
      .addPrimaryKeyConstraint("channel_events_pk", [
        "chain_id",
        "channel_id",
        "transaction_hash",
        "kind",
        "position",
      ])
      .execute();
    await sql`create index channel_events_channel
      on channel_events (chain_id, channel_id, block_number)`.execute(db);
    await sql`create index channel_events_block
      on channel_events (chain_id, block_number)`.execute(db);
    await db.schema
      .createTable("channel_watches")
      .addColumn("chain_id", "integer", (column) => column.primaryKey())
      .addColumn("block_number", "bigint", (column) => column.notNull())
      .execute();
  },
  "0003-sums": async (db) => {
    await db.schema
      .createTable("channel_sums")
      .addColumn("account", "text", (column) => column.notNull())
      .addColumn("chain_id", "integer", (column) => column.notNull())
      .addColumn("open", "bigint", (column) => column.notNull())
      .addColumn("charged", "bigint", (column) => column.notNull())
      .addColumn("claimed", "bigint", (column) => column.notNull())
      .addColumn("settled", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("channel_sums_pk", ["account", "chain_id"])
      .execute();
    await db.schema
      .createTable("channel_days")
      .addColumn("account", "text", (column) => column.notNull())
      .addColumn("chain_id", "integer", (column) => column.notNull())
      .addColumn("day", "integer", (column) => column.notNull())
      .addColumn("charged", "bigint", (column) => column.notNull())
      .addColumn("claimed", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("channel_days_pk", ["account", "chain_id", "day"])
      .execute();
    await sql`create index channel_vouchers_account_open
      on channel_vouchers (account, chain_id, opened_at, channel_id)
      where closed_at is null`.execute(db);
    await sql`create index channel_vouchers_account_closed
      on channel_vouchers (account, chain_id, opened_at, channel_id)
      where closed_at is not null`.execute(db);
    await sql`create index channel_vouchers_account_unclaimed
      on channel_vouchers (account, chain_id, unclaimed_since)
      where unclaimed_since is not null`.execute(db);
  },
  "0004-unsent": async (db) => {
    // What is claimed and not sent is looked for every ten seconds, and most accounts have nothing.
    await sql`create index channel_sums_unsent
      on channel_sums (chain_id, (claimed - settled), account)`.execute(db);
  },
  "0006-due": async (db) => {
    await sql`alter table channel_vouchers
      add column claim_within_ms bigint not null default 450000`.execute(db);
    // The default is that of the shortest delay, for a version before this one that still runs. None
    // with channels was published, so there are few.
    const rows = await sql<{ channel_id: string; config: string }>`select channel_id, config
      from channel_vouchers`.execute(db);
    for (const { channel_id: id, config } of rows.rows) {
      const within = claimWithinOf(json<ChannelConfig>().read(config));
      await sql`update channel_vouchers set claim_within_ms = ${within}
        where channel_id = ${id}`.execute(db);
    }
    await sql`drop index channel_vouchers_unclaimed`.execute(db);
    // Those of payers who withdraw first, then those that have to be claimed first.
    await sql`create index channel_vouchers_due on channel_vouchers (chain_id, (case
      when withdraw_requested_at > 0 then 0 else unclaimed_since + claim_within_ms end))
      where unclaimed_since is not null`.execute(db);
    await sql`create index channel_sums_unclaimed
      on channel_sums (chain_id, (charged - claimed), account)`.execute(db);
  },
};
