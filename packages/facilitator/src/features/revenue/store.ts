/** Reads the revenue of a month by its names, and customers. */
import { textList, type Database, type Page, type Paging } from "@farthing/engine/storage";
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { sql } from "kysely";
import type { RankedCursor } from "../../http/messages/cursor.ts";
import { listCustomers } from "./customer-store.ts";
import type { RevenueBasis } from "./tables.ts";

export type RevenueStore = ReturnType<typeof createRevenueStore>;

export interface RevenueQuery {
  readonly chainId: ChainId;
  readonly basis: RevenueBasis;
  /** See `monthOf`. */
  readonly month: number;
}

export interface NamedRevenue {
  readonly name: string;
  readonly settlements: number;
  readonly units: bigint;
}

export function createRevenueStore(database: Database) {
  return {
    /** The names with the most revenue first. */
    listRevenue: listRevenue.bind(undefined, database),
    /** In the order of the names, so that each comes once although revenue is added meanwhile. */
    listRevenueByName: listRevenueByName.bind(undefined, database),
    /** The revenue of these names; those without any are left out. */
    findRevenue: findRevenue.bind(undefined, database),
    listCustomers: listCustomers.bind(undefined, database),
  };
}

async function listRevenue(
  database: Database,
  account: Address,
  query: RevenueQuery,
  { from, limit }: Paging<RankedCursor>,
): Promise<Page<NamedRevenue, RankedCursor>> {
  let page = revenueOf(database, account, query)
    .where("units", ">", "0")
    .orderBy("units", "desc")
    .orderBy("name", "desc")
    .limit(limit + 1);
  if (from) {
    const units = sql`cast(${from.rank.toString()} as bigint)`;
    page = page.where(sql<boolean>`(units, name) <= (${units}, ${from.name})`);
  }
  return toRevenuePage(await page.execute(), limit);
}

async function listRevenueByName(
  database: Database,
  account: Address,
  query: RevenueQuery,
  { from, limit }: Paging<RankedCursor>,
): Promise<Page<NamedRevenue, RankedCursor>> {
  let page = revenueOf(database, account, query)
    .orderBy("name")
    .limit(limit + 1);
  if (from) page = page.where("name", ">=", from.name);
  const { items, next } = toRevenuePage(await page.execute(), limit);
  // Those of a reorganisation that have nothing left are few, and read all the same.
  return { items: items.filter(({ units }) => units > 0n), next };
}

async function findRevenue(
  database: Database,
  account: Address,
  query: RevenueQuery,
  names: readonly string[],
): Promise<Map<string, NamedRevenue>> {
  if (names.length === 0) return new Map();
  const list = database.db.selectFrom(textList(database.engine, names)).select("given.of");
  const rows = await revenueOf(database, account, query).where("name", "in", list).execute();
  return new Map(rows.map((row) => [row.name, toNamedRevenue(row)]));
}

function revenueOf({ db }: Database, account: Address, { chainId, basis, month }: RevenueQuery) {
  return db
    .selectFrom("revenue_months")
    .select(["name", "settlements", "units"])
    .where("account", "=", toLowerHex(account))
    .where("chain_id", "=", chainId)
    .where("basis", "=", basis)
    .where("month", "=", month);
}

interface RevenueRow {
  readonly name: string;
  readonly settlements: number | string;
  readonly units: number | string | bigint;
}

function toNamedRevenue({ name, settlements, units }: RevenueRow): NamedRevenue {
  return { name, settlements: Number(settlements), units: BigInt(units) };
}

/** Removes the row that was read beyond the limit: it begins the next page. */
function toRevenuePage(
  rows: readonly RevenueRow[],
  limit: number,
): Page<NamedRevenue, RankedCursor> {
  const items = rows.map(toNamedRevenue);
  const following = items[limit];
  return {
    items: items.slice(0, limit),
    next: following ? { rank: following.units, name: following.name } : null,
  };
}
