/**
 * Bounds the names that money over channels adds to an account's revenue. A payment's name comes with its
 * credits; a channel's is a seller's word for as little as one base unit, so it must not fill the disk.
 */
import { textList, type Database } from "@farthing/engine/storage";
import { toLowerHex } from "@farthing/protocol";
import type { revenueMonths } from "./tables.ts";

type RevenueMonth = Parameters<typeof revenueMonths.write>[0];

/**
 * Names of a month, by resource and by route each: as many as pages of a large shop, and a few megabytes.
 * What goes beyond is in the sums of its payer, as money without a name is.
 */
export const namesMax = 10_000;

/** Leaves out rows with further names, once so many are there. */
export async function withBoundedNames(
  inside: Database,
  rows: readonly RevenueMonth[],
): Promise<readonly RevenueMonth[]> {
  const kept: RevenueMonth[] = [];
  const keyOf = ({ account, chainId, basis, month }: RevenueMonth) =>
    `${toLowerHex(account)} ${chainId} ${basis} ${month}`;
  for (const group of Map.groupBy(rows, keyOf).values()) {
    kept.push(...(group[0]?.basis === "payer" ? group : await boundGroup(inside, group)));
  }
  return kept;
}

/** `group`: rows that differ by their names alone. */
async function boundGroup(
  { db, engine }: Database,
  group: readonly RevenueMonth[],
): Promise<readonly RevenueMonth[]> {
  const [first] = group;
  if (!first) return [];
  const own = db
    .selectFrom("revenue_months")
    .where("account", "=", toLowerHex(first.account))
    .where("chain_id", "=", first.chainId)
    .where("basis", "=", first.basis)
    .where("month", "=", first.month);
  const names = [...new Set(group.map(({ name }) => name))];
  const found = await own
    .select("name")
    .where("name", "in", db.selectFrom(textList(engine, names)).select("given.of"))
    .execute();
  const allowed = new Set(found.map(({ name }) => name));
  const fresh = names.filter((name) => !allowed.has(name));
  const last =
    fresh.length > 0
      ? await own
          .select("name")
          .limit(1)
          .offset(namesMax - 1)
          .execute()
      : [];
  if (last.length === 0) for (const name of fresh) allowed.add(name);
  return group.filter(({ name }) => allowed.has(name));
}
