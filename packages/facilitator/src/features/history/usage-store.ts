/** Usage by day and sales at a price, read from the sums. */
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { sql } from "kysely";
import type { ListingStats, ListingPrice } from "../listings/model.ts";
import type { UsageDay } from "./model.ts";
import { type Database, numberOrNull, textList, walletAddress } from "@farthing/engine/storage";
import { dayMs, dayOf, isComplete } from "./participant.ts";

export interface UsageSpan {
  /** Milliseconds since 1970; the end is not included. */
  readonly since: number;
  readonly before: number;
  /** Live and test money are never one sum. */
  readonly chainId: ChainId;
}

export async function listUsage(
  database: Database,
  account: Address,
  span: UsageSpan,
): Promise<UsageDay[]> {
  const { since, before, chainId } = span;
  if (!(await isComplete(database))) return addUpUsage(database, account, span);
  const rows = await database.db
    .selectFrom("usage_days")
    .select(["day", "outcome"])
    .select(({ fn, cast }) => [
      fn.sum<number | string>("settlements").as("settlements"),
      cast<string>(fn.sum("units"), "text").as("units"),
      fn.sum<number | string>("credits").as("credits"),
    ])
    .where("account", "=", toLowerHex(account))
    .where("day", ">=", Math.ceil(since / dayMs))
    .where("day", "<", Math.ceil(before / dayMs))
    .where("chain_id", "=", chainId)
    .groupBy(["day", "outcome"])
    .orderBy("day")
    .execute();
  const days = Map.groupBy(rows, ({ day }) => Number(day));
  return [...days].map(([day, parts]) => {
    const of = (outcome: string) => parts.find((part) => part.outcome === outcome);
    const [settled, failed, pending] = [of("confirmed"), of("failed"), of("pending")];
    return {
      day,
      settled: Number(settled?.settlements ?? 0),
      failed: Number(failed?.settlements ?? 0),
      pending: Number(pending?.settlements ?? 0),
      units: BigInt(settled?.units ?? 0),
      credits: Number(settled?.credits ?? 0) + Number(pending?.credits ?? 0),
    };
  });
}

/** What an account did on a network in some days. */
export interface UsageSum {
  readonly account: Address;
  readonly chainId: ChainId;
  readonly settled: number;
  readonly failed: number;
  /** Of what was settled. */
  readonly units: bigint;
}

/**
 * Adds up the days of accounts, one entry for each network where there is any. Undefined while the
 * history before an upgrade is still being added.
 */
export async function sumUsage(
  database: Database,
  accounts: readonly Address[],
  { since, before }: Pick<UsageSpan, "since" | "before">,
): Promise<UsageSum[] | undefined> {
  if (!(await isComplete(database))) return undefined;
  const { db, engine } = database;
  const list = textList(
    engine,
    accounts.map((account) => toLowerHex(account)),
  );
  const rows = await db
    .selectFrom("usage_days")
    .select(["account", "chain_id", "outcome"])
    .select(({ fn, cast }) => [
      fn.sum<number | string>("settlements").as("settlements"),
      cast<string>(fn.sum("units"), "text").as("units"),
    ])
    .where("account", "in", (where) => where.selectFrom(list).select("given.of"))
    .where("day", ">=", Math.floor(since / dayMs))
    .where("day", "<", Math.ceil(before / dayMs))
    .groupBy(["account", "chain_id", "outcome"])
    .execute();
  const sums = Map.groupBy(rows, (row) => `${row.account}/${row.chain_id}`);
  return [...sums.values()].flatMap((parts) => {
    const of = (outcome: string) => parts.find((part) => part.outcome === outcome);
    const [first] = parts;
    if (!first) return [];
    return [
      {
        account: walletAddress().read(first.account),
        chainId: first.chain_id,
        settled: Number(of("confirmed")?.settlements ?? 0),
        failed: Number(of("failed")?.settlements ?? 0),
        units: BigInt(of("confirmed")?.units ?? 0),
      },
    ];
  });
}

/** Reads the settlements themselves until the backfill is complete. */
async function addUpUsage(
  { db }: Database,
  account: Address,
  { since, before, chainId }: UsageSpan,
): Promise<UsageDay[]> {
  const whole = sql<number | string>`created_at / ${sql.lit(dayMs)}`;
  const rows = await db
    .selectFrom("settlements")
    .select([
      whole.as("day"),
      sql<
        number | string
      >`sum(case when state = 'confirmed' and refund_of is null then 1 else 0 end)`.as("settled"),
      sql<
        number | string
      >`sum(case when state = 'failed' and refund_of is null then 1 else 0 end)`.as("failed"),
      sql<
        number | string
      >`sum(case when state in ('queued', 'submitted') and refund_of is null then 1 else 0 end)`.as(
        "pending",
      ),
      // Confirmed amounts are at most all USDC, which fits 64 bits.
      sql<string>`cast(sum(case when state = 'confirmed' and refund_of is null then cast(amount as bigint) else 0 end) as text)`.as(
        "units",
      ),
      sql<number | string>`sum(case when state = 'failed' then 0 else credits end)`.as("credits"),
    ])
    .where("account", "=", toLowerHex(account))
    .where("created_at", ">=", since)
    .where("created_at", "<", before)
    .where("chain_id", "=", chainId)
    .groupBy(whole)
    .orderBy("day")
    .execute();
  return rows.map((row) => ({
    day: Number(row.day),
    settled: Number(row.settled),
    failed: Number(row.failed),
    pending: Number(row.pending),
    units: BigInt(row.units),
    credits: Number(row.credits),
  }));
}

/** Sales at a price since the day of a time. */
export async function readListingStats(
  database: Database,
  account: Address,
  price: ListingPrice,
  since: number,
): Promise<ListingStats> {
  const { chainId, amount } = price;
  if (!(await isComplete(database))) return addUpSales(database, account, price, since);
  const row = await database.db
    .selectFrom("sales_by_day")
    .select(({ fn }) => [
      fn.sum<number | string | null>("settlements").as("settlements"),
      fn.sum<number | string | null>("payers").as("payers"),
    ])
    // A day whose settlements were all reorganised out has no last settlement.
    .select(
      sql<number | string | null>`max(case when settlements > 0 then last_settled_at end)`.as(
        "last",
      ),
    )
    .where("account", "=", toLowerHex(account))
    .where("chain_id", "=", chainId)
    .where("amount", "=", amount.toString())
    .where("day", ">=", dayOf(since))
    .executeTakeFirstOrThrow();
  return toStats(amount, { ...row, settlements: row.settlements ?? 0, payers: row.payers ?? 0 });
}

/** Reads the settlements themselves until the backfill is complete. */
async function addUpSales(
  { db }: Database,
  account: Address,
  { chainId, amount }: ListingPrice,
  since: number,
): Promise<ListingStats> {
  const row = await db
    .selectFrom("settlements")
    .select(({ fn }) => [
      fn.countAll<number | string>().as("settlements"),
      sql<number | string>`count(distinct payer)`.as("payers"),
      fn.max<number | string | null>("confirmed_at").as("last"),
    ])
    .where("account", "=", toLowerHex(account))
    .where("created_at", ">=", dayOf(since) * dayMs)
    .where("state", "=", "confirmed")
    .where("refund_of", "is", null)
    .where("chain_id", "=", chainId)
    .where("amount", "=", amount.toString())
    .executeTakeFirstOrThrow();
  return toStats(amount, row);
}

function toStats(
  amount: bigint,
  row: {
    readonly settlements: number | string;
    readonly payers: number | string;
    readonly last: number | string | null;
  },
): ListingStats {
  const settlements = Number(row.settlements);
  return {
    settlements,
    units: BigInt(settlements) * amount,
    payers: Number(row.payers),
    lastSettledAt: numberOrNull(row.last),
  };
}

/** Removes sales before the day of a time, at most `limit` payers and days; returns how many. */
export async function forgetSales(
  { db }: Database,
  before: number,
  limit: number,
): Promise<number> {
  const day = dayOf(before);
  const payers = await sql<{ day: number }>`delete from sales_by_payer
    where (account, chain_id, amount, payer, day) in (
      select account, chain_id, amount, payer, day from sales_by_payer
      where day < ${day} limit ${limit}) returning day`.execute(db);
  const days = await sql<{ day: number }>`delete from sales_by_day
    where (account, chain_id, amount, day) in (
      select account, chain_id, amount, day from sales_by_day
      where day < ${day} limit ${limit}) returning day`.execute(db);
  return Math.max(payers.rows.length, days.rows.length);
}
