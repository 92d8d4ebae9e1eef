/** The most gas that the transactions of contract payers could burn. */
import type { Database } from "./dialect.ts";

const weiPerGwei = 1_000_000_000n;

/** Returns gwei by the id of the relayer transaction. */
export async function readContractGas(
  { db }: Database,
  settlements: readonly { readonly payerHasCode: boolean; readonly carrierId: number | null }[],
): Promise<Map<number, number>> {
  const ids = settlements.flatMap(({ payerHasCode, carrierId }) =>
    payerHasCode && carrierId !== null ? [carrierId] : [],
  );
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("relayer_transactions")
    .select(["id", "gas_limit", "gas_price"])
    .where("id", "in", [...new Set(ids)])
    .execute();
  return new Map(
    rows.map(({ id, gas_limit: gas, gas_price: price }) => [
      Number(id),
      Number((BigInt(gas) * BigInt(price)) / weiPerGwei),
    ]),
  );
}
