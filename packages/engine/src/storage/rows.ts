/** Converts rows of settlements and relayer transactions to the model. */
import { networkOfChain } from "@farthing/protocol";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import { settlementTable, transactionTable, type SettlementRow } from "./schema.ts";

export function numberOrNull(value: number | string | null): number | null {
  return value === null ? null : Number(value);
}

export function toSettlement(row: SettlementRow): Settlement {
  const values = settlementTable.read(row);
  return Object.assign(values, {
    asset: networkOfChain(values.chainId).usdc,
    // Callers with a key are served before those without one.
    priority: values.keyId === null ? ("open" as const) : ("keyed" as const),
  });
}

export function toRelayerTransaction(
  row: Parameters<typeof transactionTable.read>[0],
  settlementIds: readonly string[],
): RelayerTransaction {
  return Object.assign(transactionTable.read(row), { settlementIds });
}
