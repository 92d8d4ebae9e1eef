/**
 * Adds confirmed settlements to the revenue of their resource, route and payer, and to their customer,
 * in the transaction that confirms them; a reorganisation subtracts. A mark beside each settlement's books says whether
 * it is in the sums, so that one of an earlier version is not subtracted. Only settlements with
 * books are sales: others, such as purchases of credits, have none. A refund is no revenue, and takes
 * none away.
 */
import type { Settlement } from "@farthing/engine";
import {
  textList,
  unchanged,
  type Database,
  type SettlementParticipant,
} from "@farthing/engine/storage";
import { toLowerHex } from "@farthing/protocol";
import { sql } from "kysely";
import { customers, revenueBases, revenueMonths } from "./tables.ts";

export const revenueParticipant: SettlementParticipant = {
  name: "revenue",
  async onTransitions(tx, transitions) {
    const of = (wanted: "confirmed" | "reorganised") =>
      transitions.flatMap(({ kind, settlement }) =>
        kind === wanted && settlement.refundOf === null ? [settlement] : [],
      );
    await count(tx, of("confirmed"), 1);
    await count(tx, of("reorganised"), -1);
    return unchanged;
  },
};

/** The month of a time in UTC, counted from year 0. */
export function monthOf(timeMs: number): number {
  const time = new Date(timeMs);
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

async function count(
  inside: Database,
  settlements: readonly Settlement[],
  times: 1 | -1,
): Promise<void> {
  if (settlements.length === 0) return;
  const books = await mark(inside, settlements, times);
  const months: RevenueMonth[] = [];
  const bought: Customer[] = [];
  for (const { id, owner: account, chainId, payer, amount, createdAt } of settlements) {
    const named = books.get(id);
    if (!named || !account) continue;
    const names = { ...named, payer: toLowerHex(payer) };
    const units = BigInt(times) * amount;
    const sold = { account, chainId, settlements: times, units };
    for (const basis of revenueBases) {
      const name = names[basis];
      if (name !== null) months.push({ ...sold, basis, month: monthOf(createdAt), name });
    }
    bought.push({ ...sold, payer, firstAt: createdAt, lastAt: createdAt });
  }
  await addRevenueMonths(inside, months);
  await addCustomers(inside, bought);
}

type RevenueMonth = Parameters<typeof revenueMonths.write>[0];

type Customer = Parameters<typeof customers.write>[0];

/** Adds up rows of one key, and puts the sums in one order, so that no two transactions wait for each other. */
function addUp<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => readonly unknown[],
  add: (one: Row, other: Row) => Row,
): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    const before = sums.get(key);
    sums.set(key, before ? add(before, row) : row);
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** The times of a customer's payments stay as they are when one of them is subtracted. */
export async function addCustomers(
  { db, engine }: Database,
  bought: readonly Customer[],
): Promise<void> {
  if (bought.length === 0) return;
  const sums = addUp(
    bought,
    ({ account, chainId, payer }) => [toLowerHex(account), chainId, toLowerHex(payer)],
    (one, other) => ({
      ...one,
      settlements: one.settlements + other.settlements,
      units: one.units + other.units,
      firstAt: Math.min(one.firstAt, other.firstAt),
      lastAt: Math.max(one.lastAt, other.lastAt),
    }),
  );
  const list = engine.list(sums.map(customers.write), customers.types);
  await sql`insert into customers
      (account, chain_id, payer, settlements, units, first_at, last_at)
    select account, chain_id, payer, settlements, cast(units as bigint), first_at, last_at
    from ${list} where true
    on conflict (account, chain_id, payer) do update set
      settlements = customers.settlements + excluded.settlements,
      units = customers.units + excluded.units,
      first_at = case when excluded.first_at < customers.first_at
        then excluded.first_at else customers.first_at end,
      last_at = case when excluded.last_at > customers.last_at
        then excluded.last_at else customers.last_at end`.execute(db);
}

/** Marks settlements as counted, or no longer; returns the names of those whose mark has changed. */
async function mark(
  { db, engine }: Database,
  settlements: readonly Settlement[],
  times: 1 | -1,
): Promise<
  ReadonlyMap<string, { readonly resource: string | null; readonly route: string | null }>
> {
  const list = textList(
    engine,
    settlements.map(({ id }) => id),
  );
  const changed = await db
    .updateTable("settlement_books")
    .set({ is_counted: times === 1 ? 1 : 0 })
    .where("settlement_id", "in", db.selectFrom(list).select("given.of"))
    .where("is_counted", "=", times === 1 ? 0 : 1)
    .returning(["settlement_id", "resource", "route"])
    .execute();
  return new Map(changed.map(({ settlement_id: id, ...names }) => [id, names]));
}

export async function addRevenueMonths(
  { db, engine }: Database,
  added: readonly RevenueMonth[],
): Promise<void> {
  if (added.length === 0) return;
  const sums = addUp(
    added,
    ({ account, chainId, basis, month, name }) => [
      toLowerHex(account),
      chainId,
      basis,
      month,
      name,
    ],
    (one, other) => ({
      ...one,
      settlements: one.settlements + other.settlements,
      units: one.units + other.units,
    }),
  );
  const list = engine.list(sums.map(revenueMonths.write), revenueMonths.types);
  await sql`insert into revenue_months (account, chain_id, basis, month, name, settlements, units)
    select account, chain_id, basis, month, name, settlements, cast(units as bigint) from ${list}
    where true
    on conflict (account, chain_id, basis, month, name) do update set
      settlements = revenue_months.settlements + excluded.settlements,
      units = revenue_months.units + excluded.units`.execute(db);
}
