/** The most gas that the transactions of contract payers could burn. */
import type { Database } from "./dialect.ts";
import type { SettlementRow } from "./schema.ts";

const weiPerGwei = 1_000_000_000n;

/** Reads it for the transactions that carry settlements, in gwei, by the transaction's id. */
export async function readContractGas(
  { db }: Database,
  settlements: readonly Pick<SettlementRow, "payer_has_code" | "transaction_id">[],
): Promise<Map<number, number>> {
  const ids = settlements.flatMap((row) =>
    row.payer_has_code === 1 && row.transaction_id !== null ? [Number(row.transaction_id)] : [],
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
