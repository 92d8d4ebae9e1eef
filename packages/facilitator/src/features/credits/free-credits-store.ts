/**
 * Free credits: the first settlement of an account in a calendar month (UTC) adds them to its
 * balance, in the transaction of the claim. What is left over stays.
 */
import { toLowerHex, type Address } from "@farthing/protocol";
import type { Claim } from "@farthing/engine";
import { textList, type Database, type EngineTransaction } from "@farthing/engine/storage";
import { sql } from "kysely";
import { lockFunds } from "./funds-store.ts";

/** Adds the month's credits of the claims' accounts. */
export async function addFreeCredits(
  tx: EngineTransaction,
  claims: readonly Claim[],
): Promise<void> {
  const perMonth = new Map<Address, number>();
  for (const { owner, terms } of claims) {
    const { freeCredits = 0 } = terms;
    if (owner && freeCredits > 0) perMonth.set(toLowerHex(owner), freeCredits);
  }
  await addMonthlyCredits(tx, perMonth, tx.now);
}

/**
 * Adds the month's credits of accounts in lower case, once. A concurrent batch waits here for the first
 * one, so balances are read afterwards.
 */
export async function addMonthlyCredits(
  { db, engine }: Database,
  perMonth: ReadonlyMap<Address, number>,
  now: number,
): Promise<void> {
  if (perMonth.size === 0) return;
  const { month, text } = monthOf(now);
  const accounts = textList(engine, [...perMonth.keys()]);
  // In one order, so that two batches with the same accounts do not wait for each other.
  const { rows } = await sql<{ account: Address }>`insert into free_credits (account, month)
    select given.of, cast(${month} as integer) from ${accounts} where true order by given.of
    on conflict (account) do update set month = excluded.month
      where free_credits.month < excluded.month
    returning account`.execute(db);
  if (rows.length === 0) return;
  const granted = rows.map(({ account }) => account);
  // The lock precedes the numbering of entries, so that their order is the order of the balance.
  await lockFunds({ db, engine }, granted);
  await db
    .insertInto("credit_entries")
    .values(
      granted.map((account) => ({
        account,
        kind: "grant" as const,
        credits: perMonth.get(account) ?? 0,
        settlement_id: null,
        step: null,
        purchase_id: null,
        actor: null,
        note: `Free credits of ${text}`,
        created_at: now,
      })),
    )
    .execute();
}

/** Months since the year 0, and `2026-11`. */
function monthOf(now: number): { readonly month: number; readonly text: string } {
  const date = new Date(now);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  return { month, text: date.toISOString().slice(0, 7) };
}
