/** Removes old webhook deliveries, after the operator's export if configured. */
import { sql } from "kysely";
import {
  type Database,
  hasLateIndex,
  hasParts,
  inTransaction,
  restOf,
  textList,
} from "@farthing/engine/storage";
import { parts, type OnRemoval } from "./delivery-months-store.ts";
import { deliveryTable } from "./tables.ts";

export function oldDeliveryMethods(database: Database) {
  return {
    /**
     * Removes deliveries created before a time that no month has, at most `limit`; returns how many.
     */
    removeDeliveries: async (madeBefore: number, limit: number, onRemoval: OnRemoval) => {
      if (!(await hasLateIndex(database, "webhook_deliveries_created"))) return 0;
      const hasMonths = await hasParts(database, parts.all);
      const tables = hasMonths ? [parts.waiting, restOf(parts.ended)] : [parts.all];
      let removed = 0;
      for (const table of tables) {
        const terms = { table, madeBefore, limit: limit - removed };
        removed += await inTransaction(database, (inside) => remove(inside, terms, onRemoval));
        if (removed === limit) break;
      }
      return removed;
    },
  };
}

async function remove(
  { db, engine }: Database,
  terms: { readonly table: string; readonly madeBefore: number; readonly limit: number },
  onRemoval: OnRemoval,
): Promise<number> {
  const table = sql.table(terms.table);
  const { rows } = await sql<Parameters<typeof deliveryTable.read>[0]>`
    select * from ${table} where created_at < ${terms.madeBefore}
    order by created_at limit ${terms.limit}
    ${engine.hasRowLocks ? sql`for update skip locked` : sql``}`.execute(db);
  if (rows.length === 0) return 0;
  await onRemoval(rows.map(deliveryTable.read));
  const list = textList(
    engine,
    rows.map(({ id }) => id),
  );
  await sql`delete from ${table} where id in (select given.of from ${list})`.execute(db);
  return rows.length;
}
