/** The vault of channels. */
import type { Migrations } from "@farthing/engine/storage";
import { sql } from "kysely";

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
};
