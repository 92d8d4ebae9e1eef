/** Invitations to accounts. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-invitations": async (db) => {
    await db.schema
      .createTable("account_invitations")
      .addColumn("account", "text", (column) => column.notNull())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("role", "text", (column) => column.notNull())
      .addColumn("chain_id", "integer")
      .addColumn("invited_by", "text", (column) => column.notNull())
      .addColumn("invited_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("account_invitations_primary", ["account", "address"])
      .execute();
    await db.schema
      .createIndex("account_invitations_address")
      .on("account_invitations")
      .columns(["address", "invited_at"])
      .execute();
  },
};
