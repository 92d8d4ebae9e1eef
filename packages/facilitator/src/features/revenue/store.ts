/** Reads the revenue of a month by its names. */
import type { Database } from "@farthing/engine/storage";
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
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
    /** The names with the most revenue, at most `limit`. */
    listRevenue: listRevenue.bind(undefined, database),
  };
}

async function listRevenue(
  { db }: Database,
  account: Address,
  { chainId, basis, month }: RevenueQuery,
  limit: number,
): Promise<NamedRevenue[]> {
  const rows = await db
    .selectFrom("revenue_months")
    .select(["name", "settlements", "units"])
    .where("account", "=", toLowerHex(account))
    .where("chain_id", "=", chainId)
    .where("basis", "=", basis)
    .where("month", "=", month)
    .where("units", ">", "0")
    .orderBy("units", "desc")
    .orderBy("name", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ name, settlements, units }) => ({
    name,
    settlements: Number(settlements),
    units: BigInt(units),
  }));
}
