/** The history of the service: bits of minutes that are joined, and counts that are added. */
import { atomic, type Database } from "@farthing/engine/storage";
import type { ChainId } from "@farthing/protocol";
import { sql } from "kysely";
import type { HistoryPart, ServiceHistoryStore } from "../../payments/service-history.ts";
import { countTable, slotTable } from "./tables.ts";

export function createStatusHistoryStore(database: Database): ServiceHistoryStore {
  return {
    addServiceHistory: atomic(database, add),
    readServiceHistory: read.bind(undefined, database),
  };
}

async function add(
  { db, engine }: Database,
  chainId: ChainId,
  { availability, latency }: HistoryPart,
  oldest: Parameters<ServiceHistoryStore["addServiceHistory"]>[2],
): Promise<void> {
  // In one order, so that two processes do not wait for each other.
  const slots = availability
    .toSorted((one, other) => one.slot - other.slot)
    .map((slot) => slotTable.write({ chainId, ...slot }));
  await sql`insert into availability_slots (chain_id, slot, looked, available)
    select chain_id, slot, looked, available from ${engine.list(slots, slotTable.types)}
    where true
    on conflict (chain_id, slot) do update set
      looked = availability_slots.looked | excluded.looked,
      available = availability_slots.available | excluded.available`.execute(db);
  const counts = latency
    .toSorted((one, other) => one.hour - other.hour || one.within - other.within)
    .map((count) => countTable.write({ chainId, ...count }));
  await sql`insert into latency_counts (chain_id, hour, within, settlements)
    select chain_id, hour, within, settlements from ${engine.list(counts, countTable.types)}
    where true
    on conflict (chain_id, hour, within) do update set
      settlements = latency_counts.settlements + excluded.settlements`.execute(db);
  await db
    .deleteFrom("availability_slots")
    .where("chain_id", "=", chainId)
    .where("slot", "<", oldest.slot)
    .execute();
  await db
    .deleteFrom("latency_counts")
    .where("chain_id", "=", chainId)
    .where("hour", "<", oldest.hour)
    .execute();
}

async function read({ db }: Database, chainId: ChainId): Promise<HistoryPart> {
  const slots = await db
    .selectFrom("availability_slots")
    .select(slotTable.columns)
    .where("chain_id", "=", chainId)
    .orderBy("slot")
    .execute();
  const counts = await db
    .selectFrom("latency_counts")
    .select(countTable.columns)
    .where("chain_id", "=", chainId)
    .orderBy("hour")
    .execute();
  return {
    availability: slots.map((row) => {
      const { slot, looked, available } = slotTable.read(row);
      return { slot, looked, available };
    }),
    latency: counts.map((row) => {
      const { hour, within, settlements } = countTable.read(row);
      return { hour, within, settlements };
    }),
  };
}
