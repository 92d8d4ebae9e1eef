/** Removes old webhook deliveries, after the operator's export if configured. */
import { sql } from "kysely";
import type { WebhookDelivery } from "./model.ts";
import { type Database, hasLateIndex, inTransaction, textList } from "@farthing/engine/storage";
import { deliveryTable } from "./tables.ts";

/** Receives deliveries before they are removed; where it throws, nothing is removed. */
export type OnRemoval = (deliveries: readonly WebhookDelivery[]) => Promise<void>;

export function oldDeliveryMethods(database: Database) {
  return {
    /** Removes deliveries created before a time, at most `limit`; returns how many. */
    removeDeliveries: async (madeBefore: number, limit: number, onRemoval: OnRemoval) => {
      if (!(await hasLateIndex(database, "webhook_deliveries_created"))) return 0;
      return inTransaction(database, (inside) =>
        removeDeliveries(inside, { madeBefore, limit }, onRemoval),
      );
    },
  };
}

async function removeDeliveries(
  inside: Database,
  { madeBefore, limit }: { readonly madeBefore: number; readonly limit: number },
  onRemoval: OnRemoval,
): Promise<number> {
  const { db, engine } = inside;
  let old = db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("created_at", "<", madeBefore)
    .orderBy("created_at")
    .limit(limit);
  if (engine.hasRowLocks) old = old.forUpdate().skipLocked();
  const rows = await old.execute();
  if (rows.length === 0) return 0;
  await onRemoval(rows.map(deliveryTable.read));
  const list = textList(
    engine,
    rows.map(({ id }) => id),
  );
  await sql`delete from webhook_deliveries
    where id in (select given.of from ${list})`.execute(db);
  return rows.length;
}
