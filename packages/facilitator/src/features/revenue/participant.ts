/**
 * Adds confirmed settlements to the revenue of their resource, route and payer, in the transaction
 * that confirms them; a reorganisation subtracts. A mark beside each settlement's books says whether
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
import { revenueBases, revenueMonths } from "./tables.ts";

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
  for (const settlement of settlements) {
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
  // In one order, so that no two transactions wait for each other.
  const rows = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1));
  await add(
    inside,
    rows.map(([, row]) => row),
  );
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
