/** The table of accounts. */
import type { ChainId, Address } from "@farthing/protocol";
import type { ColumnType, Selectable } from "kysely";
import { address, numberOrNull, type Whole } from "@farthing/engine/storage";
import type { Account, Plan } from "./model.ts";

/** A column that new rows leave empty. */
export type Later<T> = ColumnType<T | null, T | null | undefined, T | null>;
export type LaterWhole = ColumnType<
  number | string | null,
  number | null | undefined,
  number | null
>;

export interface AccountTable {
  address: Address;
  plan: Plan;
  created_at: Whole;
  low_credits_at: LaterWhole;
  label: ColumnType<string, string | undefined, string>;
  contract_chain_id: Later<ChainId>;
}

declare module "@farthing/engine/storage" {
  interface Tables {
    accounts: AccountTable;
  }
}

export function toAccount(row: Selectable<AccountTable>): Account {
  return {
    address: address(row.address),
    plan: row.plan,
    label: row.label,
    lowCreditsAt: numberOrNull(row.low_credits_at),
    contractChainId: row.contract_chain_id,
    createdAt: Number(row.created_at),
  };
}
