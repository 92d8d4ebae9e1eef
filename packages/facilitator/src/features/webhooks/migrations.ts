/**
 * Who paused an endpoint, how it is reached, until when it is left alone, notices of fees, and deliveries
 * by months.
 */
import { sql } from "kysely";
import type { Migrations } from "@farthing/engine/storage";

export const migrations: Migrations = {
  "0001-paused-by-owner": async (db) => {
    await db.schema
      .alterTable("webhook_endpoints")
      .addColumn("is_paused_by_owner", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
  "0002-channels": async (db) => {
    await db.schema
      .alterTable("webhook_endpoints")
      .addColumn("channel", "text", (column) => column.notNull().defaultTo("webhook"))
      .execute();
    await db.schema
      .alterTable("webhook_endpoints")
      .addColumn("rests_until", "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
  },
  // People who asked for warnings about their credits get them. Programs subscribe to what they know.
  "0003-fee-notices": async (db) => {
    await sql`update webhook_endpoints
      set events = replace(events, '"credits.low"', '"credits.low","fee.changed"')
      where channel = 'email'`.execute(db);
  },
  "0004-months": async (db, idType) => {
    if (idType === "integer") return;
    const some = await sql`
      select 1 from webhook_deliveries union all select 1 from settlements limit 1`.execute(db);
    // A database at work is divided by a command, at a time that its operator chooses.
    if (some.rows.length > 0) return;
    for (const statement of deliveriesByMonths) await sql.raw(statement).execute(db);
  },
};

/**
 * What `divideDeliveries` does to a database with deliveries, for one without: it is written out, so that
 * a change there does not change what was released. Late indexes follow when the database opens.
 */
const deliveriesByMonths: readonly string[] = [
  "alter table webhook_deliveries rename to webhook_deliveries_before",
  `create table webhook_deliveries
    (like webhook_deliveries_before including defaults including constraints)
    partition by list (state)`,
  // Its indexes have the names of those below.
  "drop table webhook_deliveries_before",
  "alter table webhook_deliveries add primary key (id, state, created_at)",
  `alter table webhook_deliveries
    add foreign key (endpoint_id) references webhook_endpoints (id)`,
  `create index webhook_deliveries_endpoint
    on webhook_deliveries (endpoint_id, created_at, id)`,
  `create table webhook_deliveries_waiting
    partition of webhook_deliveries for values in ('pending')`,
  `create table webhook_deliveries_ended
    partition of webhook_deliveries for values in ('delivered', 'failed')
    partition by range (created_at)`,
  "create table webhook_deliveries_ended_rest partition of webhook_deliveries_ended default",
];
