/** Counters of the limits for callers without a key: read together, and raised in one statement. */
import type { ChainId } from "@farthing/protocol";
import { sql } from "kysely";
import { hourMs, usedAfter } from "../model/keyless.ts";
import type { Database } from "./dialect.ts";
import { counterTable, type CounterKind } from "./schema.ts";

/** Names one counter, or all parts of a window. */
export interface CounterName {
  readonly chainId: ChainId;
  readonly kind: CounterKind;
  readonly name: string;
}

/** A full bucket's row can be removed. */
export const bucketMs = 25 * hourMs;

/** The lock name of a chain's counters. */
export function keylessLock(chainId: ChainId): string {
  return `keyless:${chainId}`;
}

export interface CounterEntry extends CounterName {
  readonly slot: number;
  readonly amount: number;
  /** Per hour; 0 for counters that are no buckets. */
  readonly refill: number;
  readonly expiresAt: number;
}

/** Counters as read, with what the transaction adds. */
export type Counters = Awaited<ReturnType<typeof readCounters>>;

/** Reads unexpired counters by name. */
export async function readCounters(
  { db, engine }: Database,
  names: readonly CounterName[],
  now: number,
) {
  const byKey = new Map(names.map((counter) => [keyOf(counter), counter]));
  const parts = new Map<string, Pick<CounterEntry, "slot" | "amount">[]>();
  if (byKey.size > 0) {
    const wanted = [...byKey.values()].map(({ chainId, kind, name }) => ({
      of_chain: chainId,
      of_kind: kind,
      of_name: name,
    }));
    const list = engine.list(wanted, { of_chain: "bigint", of_kind: "text", of_name: "text" });
    const rows = await db
      .selectFrom(list)
      .innerJoin("keyless_counters as counter", (join) =>
        join
          .onRef("counter.chain_id", "=", "given.of_chain")
          .onRef("counter.kind", "=", "given.of_kind")
          .onRef("counter.name", "=", "given.of_name"),
      )
      .select(["counter.chain_id", "counter.kind", "counter.name", "counter.slot"])
      .select(["counter.amount", "counter.hour", "counter.refill"])
      .where("counter.expires_at", ">", now)
      .execute();
    for (const row of rows) {
      const hours = Math.floor(now / hourMs) - Number(row.hour);
      const amount = usedAfter(Number(row.amount), Number(row.refill), hours);
      const key = keyOf({ chainId: row.chain_id, kind: row.kind, name: row.name });
      parts.set(key, [...(parts.get(key) ?? []), { slot: Number(row.slot), amount }]);
    }
  }
  const sum = (counter: CounterName, from = 0) =>
    (parts.get(keyOf(counter)) ?? [])
      .filter(({ slot }) => slot >= from)
      .reduce((total, { amount }) => total + amount, 0);
  return {
    /** The sum of a window's parts from a slot on; of all parts by default. */
    sum,
    used: (counter: CounterName) => sum(counter),
    firstPeriod: (counter: CounterName) => {
      const slots = (parts.get(keyOf(counter)) ?? []).map(({ slot }) => slot);
      return slots.length === 0 ? undefined : Math.min(...slots);
    },
    add(entries: readonly CounterEntry[]) {
      for (const entry of entries) {
        const key = keyOf(entry);
        parts.set(key, [...(parts.get(key) ?? []), entry]);
      }
    },
  };
}

/** Raises counters, each once, after the refill of buckets for the hours that have passed. */
export async function raiseCounters(
  { db, engine }: Database,
  entries: readonly CounterEntry[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const hour = Math.floor(now / hourMs);
  const list = engine.list(
    summed(entries).map((entry) => counterTable.write({ ...entry, hour })),
    counterTable.types,
  );
  const flowed = sql<number>`keyless_counters.amount - excluded.refill * (case when excluded.hour > keyless_counters.hour then excluded.hour - keyless_counters.hour else 0 end)`;
  await db
    .insertInto("keyless_counters")
    .columns(counterTable.names)
    .expression(
      db
        .selectFrom(list)
        .select(counterTable.names)
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) =>
      conflict.columns(["chain_id", "kind", "name", "slot"]).doUpdateSet({
        amount: sql<number>`excluded.amount + (case when ${flowed} > 0 then ${flowed} else 0 end)`,
        hour: sql<number>`case when excluded.hour > keyless_counters.hour then excluded.hour else keyless_counters.hour end`,
        refill: sql<number>`excluded.refill`,
        expires_at: sql<number>`excluded.expires_at`,
      }),
    )
    .execute();
}

/** Lowers counters; expired ones stay removed. */
export async function lowerCounters(
  { db, engine }: Database,
  entries: readonly Omit<CounterEntry, "refill" | "expiresAt">[],
): Promise<void> {
  if (entries.length === 0) return;
  const list = engine.list(
    summed(entries).map(({ chainId, kind, name, slot, amount }) => {
      return { of_chain: chainId, of_kind: kind, of_name: name, of_slot: slot, less: amount };
    }),
    { of_chain: "bigint", of_kind: "text", of_name: "text", of_slot: "bigint", less: "bigint" },
  );
  await db
    .updateTable("keyless_counters")
    .from(list)
    .set({
      amount: sql<number>`case when amount > given.less then amount - given.less else 0 end`,
    })
    .whereRef("keyless_counters.chain_id", "=", "given.of_chain")
    .whereRef("keyless_counters.kind", "=", "given.of_kind")
    .whereRef("keyless_counters.name", "=", "given.of_name")
    .whereRef("keyless_counters.slot", "=", "given.of_slot")
    .execute();
}

/** Removes at most `limit` expired counters; returns how many. */
export async function pruneCounters({ db }: Database, now: number, limit: number): Promise<number> {
  const expired = db
    .selectFrom("keyless_counters as old")
    .select(["old.chain_id", "old.kind", "old.name", "old.slot"])
    .where("old.expires_at", "<=", now)
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom("keyless_counters")
    .where(({ eb, refTuple }) =>
      eb(
        refTuple("chain_id", "kind", "name", "slot"),
        "in",
        expired.$asTuple("chain_id", "kind", "name", "slot"),
      ),
    )
    // Skips counters that were raised meanwhile.
    .where("expires_at", "<=", now)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Merges entries by counter, in one order, so that concurrent processes cannot deadlock. */
function summed<Entry extends Omit<CounterEntry, "refill" | "expiresAt">>(
  entries: readonly Entry[],
): Entry[] {
  const byKey = new Map<string, Entry>();
  for (const entry of entries) {
    const key = `${keyOf(entry)}:${entry.slot}`;
    const before = byKey.get(key);
    byKey.set(key, before ? { ...entry, amount: before.amount + entry.amount } : entry);
  }
  return [...byKey].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}

function keyOf({ chainId, kind, name }: CounterName): string {
  return `${chainId}:${kind}:${name}`;
}
