/**
 * Sales at a price by day: settlements, and payers, of which each counts once over several days.
 * Each payer counts on the last day on which they bought, and moves there with each purchase. Days
 * are kept for as long as listings show them.
 */
import type { Address, ChainId } from "@farthing/protocol";
import { sql } from "kysely";
import type { Database } from "@farthing/engine/storage";
import { salesByDay, salesByPayer } from "./tables.ts";

/** A later version can add the route to the key. */
export interface Price {
  readonly account: Address;
  readonly chainId: ChainId;
  readonly amount: string;
}

/** A settlement that was confirmed (1) or reorganised out (-1). */
export interface Sale extends Price {
  readonly payer: Address;
  readonly day: number;
  readonly times: number;
  readonly settledAt: number;
}

/** Settlements of one payer at one price by day. */
type PayerDays = Map<number, number>;

export async function countSales(inside: Database, sales: readonly Sale[]): Promise<void> {
  if (sales.length === 0) return;
  const { db, engine } = inside;
  // Moving a payer depends on all their days, so one transaction at a time changes a price.
  await engine.lockNames(
    db,
    sales.map(({ account, chainId, amount }) => `sales:${account}:${chainId}:${amount}`),
  );
  const payers = await readPayers(inside, sales);
  const days = new Map<string, DaySum>();
  const changed = new Map<string, Price & { payer: Address; day: number; settlements: number }>();
  for (const sale of sales) {
    const { account, chainId, amount, payer, day, times, settledAt } = sale;
    const own = payers.get(payerKey(sale)) ?? new Map<number, number>();
    payers.set(payerKey(sale), own);
    const lastBefore = lastDay(own);
    const settlements = (own.get(day) ?? 0) + times;
    own.set(day, settlements);
    const row = { account, chainId, amount, payer, day, settlements };
    changed.set(JSON.stringify([account, chainId, amount, payer, day]), row);
    addToDay(days, sale, day, { settlements: times, payers: 0, settledAt });
    const lastAfter = lastDay(own);
    if (lastBefore === lastAfter) continue;
    if (lastBefore !== undefined) addToDay(days, sale, lastBefore, { payers: -1 });
    if (lastAfter !== undefined) addToDay(days, sale, lastAfter, { payers: 1 });
  }
  await writePayers(inside, inOrder(changed));
  await writeDays(inside, inOrder(days));
}

function payerKey({ account, chainId, amount, payer }: Price & { payer: Address }): string {
  return JSON.stringify([account, chainId, amount, payer]);
}

function lastDay(days: PayerDays): number | undefined {
  const bought = [...days].flatMap(([day, settlements]) => (settlements > 0 ? [day] : []));
  return bought.length === 0 ? undefined : Math.max(...bought);
}

interface DaySum extends Price {
  readonly day: number;
  settlements: number;
  payers: number;
  last_settled_at: number;
}

function addToDay(
  days: Map<string, DaySum>,
  { account, chainId, amount }: Price,
  day: number,
  added: { readonly settlements?: number; readonly payers: number; readonly settledAt?: number },
): void {
  const key = JSON.stringify([account, chainId, amount, day]);
  const nothing = { settlements: 0, payers: 0, last_settled_at: 0 };
  const sum = days.get(key) ?? { account, chainId, amount, day, ...nothing };
  sum.settlements += added.settlements ?? 0;
  sum.payers += added.payers;
  sum.last_settled_at = Math.max(sum.last_settled_at, added.settledAt ?? 0);
  days.set(key, sum);
}

function inOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

async function readPayers(
  { db, engine }: Database,
  sales: readonly Sale[],
): Promise<Map<string, PayerDays>> {
  const asked = new Map(sales.map((sale) => [payerKey(sale), sale]));
  const list = engine.list(
    [...asked.values()].map(({ account, chainId, amount, payer }) => ({
      of_account: account,
      of_chain: chainId,
      of_amount: amount,
      of_payer: payer,
    })),
    { of_account: "text", of_chain: "bigint", of_amount: "text", of_payer: "text" },
  );
  const rows = await db
    .selectFrom(list)
    .innerJoin("sales_by_payer as known", (join) =>
      join
        .onRef("known.account", "=", "given.of_account")
        .onRef("known.chain_id", "=", "given.of_chain")
        .onRef("known.amount", "=", "given.of_amount")
        .onRef("known.payer", "=", "given.of_payer"),
    )
    .selectAll("known")
    .execute();
  const payers = new Map<string, PayerDays>();
  for (const row of rows) {
    const key = payerKey({ ...row, chainId: row.chain_id });
    const days = payers.get(key) ?? new Map<number, number>();
    payers.set(key, days.set(Number(row.day), Number(row.settlements)));
  }
  return payers;
}

async function writePayers(
  { db, engine }: Database,
  rows: readonly (Price & { payer: Address; day: number; settlements: number })[],
): Promise<void> {
  const list = engine.list(
    rows.map(({ chainId, ...row }) => ({ ...row, chain_id: chainId })),
    salesByPayer.types,
  );
  await sql`insert into sales_by_payer (account, chain_id, amount, payer, day, settlements)
    select account, chain_id, amount, payer, day, settlements from ${list} where true
    on conflict (account, chain_id, amount, payer, day) do update set
      settlements = excluded.settlements`.execute(db);
}

async function writeDays({ db, engine }: Database, rows: readonly DaySum[]): Promise<void> {
  const list = engine.list(
    rows.map(({ chainId, ...row }) => ({ ...row, chain_id: chainId })),
    salesByDay.types,
  );
  await sql`insert into sales_by_day
      (account, chain_id, amount, day, settlements, payers, last_settled_at)
    select account, chain_id, amount, day, settlements, payers, last_settled_at from ${list}
    where true
    on conflict (account, chain_id, amount, day) do update set
      settlements = sales_by_day.settlements + excluded.settlements,
      payers = sales_by_day.payers + excluded.payers,
      last_settled_at = case when excluded.last_settled_at > sales_by_day.last_settled_at
        then excluded.last_settled_at else sales_by_day.last_settled_at end`.execute(db);
}
