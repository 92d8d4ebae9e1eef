/** The most gas that the payments of contract wallets could burn. */
import type { Address, Hex } from "@farthing/protocol";
import { gasWithinBatch } from "../chain/contracts/batch-contract.ts";
import type { Database } from "./dialect.ts";

const weiPerGwei = 1_000_000_000n;

/** A settlement with the relayer transaction that carried it. */
export interface CarriedPayment {
  readonly id: string;
  readonly payer: Address;
  readonly nonce: Hex;
  readonly payerHasCode: boolean;
  readonly carrierId: number | null;
}

/** Returns gwei by settlement: its transaction's gas, or its calls' where a batch limits them. */
export async function readContractGas(
  { db }: Database,
  settlements: readonly CarriedPayment[],
): Promise<Map<string, number>> {
  const carried = settlements.filter(
    ({ payerHasCode, carrierId }) => payerHasCode && carrierId !== null,
  );
  if (carried.length === 0) return new Map();
  const rows = await db
    .selectFrom("relayer_transactions")
    .select(["id", "gas_limit", "gas_price", "data"])
    .where("id", "in", [...new Set(carried.map(({ carrierId }) => Number(carrierId)))])
    .execute();
  const byId = new Map(rows.map((row) => [Number(row.id), row]));
  return new Map(
    carried.flatMap((payment) => {
      const row = byId.get(Number(payment.carrierId));
      if (!row) return [];
      const gas = gasWithinBatch(row.data, payment) ?? BigInt(row.gas_limit);
      return [[payment.id, Number((gas * BigInt(row.gas_price)) / weiPerGwei)]];
    }),
  );
}
