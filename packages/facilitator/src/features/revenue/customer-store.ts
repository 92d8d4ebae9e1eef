/** Reads the customers of an account. */
import type { Database, Page, Paging } from "@farthing/engine/storage";
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { sql } from "kysely";
import type { RankedCursor } from "../../http/messages/cursor.ts";
import { customers } from "./tables.ts";

/** The columns that a list of customers may be ordered by, the highest first, and the payer's own. */
const ranks = { amount: "units", recent: "last_at" } as const;

/** `payer`: in the order of the addresses, so that each comes once although they buy meanwhile. */
export type CustomerOrder = keyof typeof ranks | "payer";

export type Customer = ReturnType<typeof customers.read>;

export async function listCustomers(
  { db }: Database,
  account: Address,
  { chainId, order }: { readonly chainId: ChainId; readonly order: CustomerOrder },
  { from, limit }: Paging<RankedCursor>,
): Promise<Page<Customer, RankedCursor>> {
  let page = db
    .selectFrom("customers")
    .selectAll()
    .where("account", "=", toLowerHex(account))
    .where("chain_id", "=", chainId)
    .limit(limit + 1);
  if (order === "payer") {
    page = page.orderBy("payer");
    if (from) page = page.where(sql<boolean>`payer >= ${from.name}`);
  } else {
    const rank = ranks[order];
    page = page.orderBy(rank, "desc").orderBy("payer", "desc");
    if (from) {
      const highest = sql`cast(${from.rank.toString()} as bigint)`;
      page = page.where(sql<boolean>`(${sql.ref(rank)}, payer) <= (${highest}, ${from.name})`);
    }
  }
  const rows = (await page.execute()).map((row) => customers.read(row));
  const following = rows[limit];
  return {
    // A reorganisation may leave a customer nothing; they are few.
    items: rows.slice(0, limit).filter(({ settlements, units }) => settlements > 0 || units > 0n),
    next: following
      ? {
          rank: order === "recent" ? BigInt(following.lastAt) : following.units,
          name: toLowerHex(following.payer),
        }
      : null,
  };
}
