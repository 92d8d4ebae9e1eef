/** The calls of accounts. An account's newest ones are found by their number. */
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-calls": async (db) => {
    await db.schema
      .createTable("api_call_counts")
      .addColumn("account", "text", (column) => column.primaryKey())
      .addColumn("recorded", "bigint", (column) => column.notNull())
      .execute();
    await db.schema
      .createTable("api_calls")
      .addColumn("account", "text", (column) => column.notNull())
      .addColumn("ordinal", "bigint", (column) => column.notNull())
      .addColumn("request_id", "text", (column) => column.notNull())
      .addColumn("key_id", "text", (column) => column.notNull())
      .addColumn("mode", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("method", "text", (column) => column.notNull())
      .addColumn("path", "text", (column) => column.notNull())
      .addColumn("status", "integer", (column) => column.notNull())
      .addColumn("duration_ms", "bigint", (column) => column.notNull())
      .addColumn("code", "text")
      .addColumn("message", "text")
      .addColumn("result", "text")
      .addColumn("settlement_id", "text")
      .addColumn("transaction_hash", "text")
      .addColumn("asked", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("api_calls_pkey", ["account", "ordinal"])
      .execute();
    // A call is found by the id in its response.
    await db.schema
      .createIndex("api_calls_request")
      .unique()
      .on("api_calls")
      .column("request_id")
      .execute();
    // Old calls are removed by their time.
    await db.schema.createIndex("api_calls_created").on("api_calls").column("created_at").execute();
  },
};
