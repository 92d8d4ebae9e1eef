/**
 * Deliveries by months, on PostgreSQL: those that wait are a part of their own, and each of the others
 * moves to the month of its creation when it ends. So the part that payments write to stays small, and
 * old months are dropped as a whole. A database of an earlier version has one table until an operator
 * divides it.
 */
import { sql, type QueryExecutorProvider } from "kysely";
import {
  type Database,
  dropMonth,
  hasParts,
  lateIndexes,
  listMonths,
  prepareMonths,
} from "@farthing/engine/storage";
import type { WebhookDelivery } from "./model.ts";
import { deliveryTable } from "./tables.ts";

/** The table, and its parts: deliveries that wait, and the others by months. */
export const parts = {
  all: "webhook_deliveries",
  waiting: "webhook_deliveries_waiting",
  ended: "webhook_deliveries_ended",
} as const;

/** Receives deliveries before they are removed; where it throws, nothing is removed. */
export type OnRemoval = (deliveries: readonly WebhookDelivery[]) => Promise<void>;

export function deliveryMonthMethods(database: Database) {
  return {
    /** Makes the months that will be written to; none where deliveries are one table. */
    prepareDeliveryMonths: (now: number) => prepareMonths(database, [parts.ended], { now }),
    /**
     * Drops months of ended deliveries that are over before a time, and returns how many. `onRemoval`
     * receives their deliveries first, at most `limit` at once and possibly repeatedly.
     */
    dropDeliveryMonths: async (madeBefore: number, limit: number, onRemoval: OnRemoval) => {
      if (!(await hasParts(database, parts.ended))) return 0;
      let dropped = 0;
      for (const month of await listMonths(database.db, parts.ended)) {
        if (month.to > madeBefore) break;
        await readAll(database, month.name, { limit, onRemoval });
        if (await dropMonth(database, parts.ended, month, async () => nothingKept)) dropped++;
      }
      return dropped;
    },
  };
}

const nothingKept = async () => undefined;

async function readAll(
  { db }: Database,
  part: string,
  { limit, onRemoval }: { readonly limit: number; readonly onRemoval: OnRemoval },
): Promise<void> {
  let from = { at: 0, id: "" };
  for (;;) {
    const { rows } = await sql<Parameters<typeof deliveryTable.read>[0]>`
      select * from ${sql.table(part)} where (created_at, id) > (${from.at}, ${from.id})
      order by created_at, id limit ${limit}`.execute(db);
    const deliveries = rows.map(deliveryTable.read);
    if (deliveries.length > 0) await onRemoval(deliveries);
    const last = deliveries.at(-1);
    if (!last || rows.length < limit) return;
    from = { at: last.createdAt, id: last.id };
  }
}

/** The table of an earlier version, while its deliveries move. */
export const before = "webhook_deliveries_before";

/**
 * Puts a table with parts in the place of the one that is there, which gets the name of `before`. In a
 * transaction; nothing is copied.
 */
export async function divideDeliveries(db: QueryExecutorProvider): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = to_regclass(${parts.all})`.execute(db);
  const late = lateIndexes.filter(({ table }) => table === parts.all);
  const statements = [
    `alter table ${parts.all} rename to ${before}`,
    ...rows.map(({ name }) => `alter index ${name} rename to ${name}_before`),
    `create table ${parts.all} (like ${before} including defaults including constraints)
      partition by list (state)`,
    // The key of a table with parts contains what decides on the part. The id alone stays unique,
    // because it is random and a row moves within one statement.
    `alter table ${parts.all} add primary key (id, state, created_at)`,
    `alter table ${parts.all} add foreign key (endpoint_id) references webhook_endpoints (id)`,
    `create index webhook_deliveries_endpoint on ${parts.all} (endpoint_id, created_at, id)`,
    ...late.map(({ name, definition }) => `create index ${name} on ${parts.all} ${definition}`),
    `create table ${parts.waiting} partition of ${parts.all} for values in ('pending')`,
    `create table ${parts.ended} partition of ${parts.all}
      for values in ('delivered', 'failed') partition by range (created_at)`,
    `create table ${parts.ended}_rest partition of ${parts.ended} default`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
