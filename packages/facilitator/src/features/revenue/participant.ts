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
  const sums = new Map<string, ReturnType<typeof revenueMonths.write>>();
  const books = await mark(inside, settlements, times);
  const counted = settlements.filter(({ id, owner }) => owner !== null && books.has(id));
  for (const settlement of counted) {
    const { id, owner, chainId, amount, createdAt } = settlement;
    const named = books.get(id);
    if (!named || !owner) continue;
    const names = { ...named, payer: toLowerHex(settlement.payer) };
    for (const basis of revenueBases) {
      const name = names[basis];
      if (name === null) continue;
      const month = monthOf(createdAt);
      const key = JSON.stringify([toLowerHex(owner), chainId, basis, month, name]);
      const before = sums.get(key);
      const units = BigInt(before?.units ?? 0) + BigInt(times) * amount;
      const sold = (before?.settlements ?? 0) + times;
      const row = { account: owner, chainId, basis, month, name, settlements: sold, units };
      sums.set(key, revenueMonths.write(row));
    }
  }
  await add(inside, inOrder(sums));
  await addToCustomers(inside, counted, times);
}

/** In one order, so that no two transactions wait for each other. */
function inOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** The times of a customer's payments stay as they are when one of them is subtracted. */
async function addToCustomers(
  { db, engine }: Database,
  settlements: readonly Settlement[],
  times: 1 | -1,
): Promise<void> {
  const sums = new Map<string, ReturnType<typeof customers.write>>();
  for (const { owner, chainId, payer, amount, createdAt } of settlements) {
    if (!owner) continue;
    const key = JSON.stringify([toLowerHex(owner), chainId, toLowerHex(payer)]);
    const before = sums.get(key);
    const row = {
      account: owner,
      chainId,
      payer,
      settlements: (before?.settlements ?? 0) + times,
      units: BigInt(before?.units ?? 0) + BigInt(times) * amount,
      firstAt: Math.min(before?.first_at ?? createdAt, createdAt),
      lastAt: Math.max(before?.last_at ?? createdAt, createdAt),
    };
    sums.set(key, customers.write(row));
  }
  if (sums.size === 0) return;
  const list = engine.list(inOrder(sums), customers.types);
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

async function add(
  { db, engine }: Database,
  rows: readonly ReturnType<typeof revenueMonths.write>[],
): Promise<void> {
  if (rows.length === 0) return;
  const list = engine.list(rows, revenueMonths.types);
  await sql`insert into revenue_months (account, chain_id, basis, month, name, settlements, units)
    select account, chain_id, basis, month, name, settlements, cast(units as bigint) from ${list}
    where true
    on conflict (account, chain_id, basis, month, name) do update set
      settlements = revenue_months.settlements + excluded.settlements,
      units = revenue_months.units + excluded.units`.execute(db);
}
