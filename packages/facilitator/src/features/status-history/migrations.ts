/** Availability by half an hour and latency by hour, of each network. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-status-history": async (db) => {
    await db.schema
      .createTable("availability_slots")
      .addColumn("chain_id", "integer", (column) => column.notNull())
      .addColumn("slot", "bigint", (column) => column.notNull())
      .addColumn("looked", "bigint", (column) => column.notNull())
      .addColumn("available", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("availability_slots_key", ["chain_id", "slot"])
      .execute();
    await db.schema
      .createTable("latency_counts")
      .addColumn("chain_id", "integer", (column) => column.notNull())
      .addColumn("hour", "bigint", (column) => column.notNull())
      .addColumn("within", "bigint", (column) => column.notNull())
      .addColumn("settlements", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("latency_counts_key", ["chain_id", "hour", "within"])
      .execute();
  },
};
