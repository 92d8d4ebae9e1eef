/** The tables of sums over settlements, as Kysely types. Days are counted from 1970-01-01 in UTC. */
import type { Address, ChainId } from "@farthing/protocol";
import type { Whole } from "@farthing/engine/storage";

/** What a settlement counts as: queued and submitted ones are pending. */
export type Outcome = "pending" | "confirmed" | "failed";

/** Settlements of an account, by the day of their claim. */
export interface UsageDayTable {
  account: Address;
  day: Whole;
  chain_id: ChainId;
  outcome: Outcome;
  settlements: Whole;
  /** USDC base units; counted of confirmed settlements only. */
  units: Whole;
  credits: Whole;
}

/** Confirmed settlements of an account at one price, by payer. */
export interface SalesByPayerTable {
  account: Address;
  chain_id: ChainId;
  amount: string;
  payer: Address;
  day: Whole;
  settlements: Whole;
}

/** Confirmed settlements of an account at one price. */
export interface SalesByDayTable {
  account: Address;
  chain_id: ChainId;
  amount: string;
  day: Whole;
  settlements: Whole;
  /** Payers who bought on this day and on none after it. */
  payers: Whole;
  last_settled_at: Whole;
}

/** The one row that says which settlements the sums have. */
export interface SumsProgressTable {
  account: string;
  created_at: Whole;
  id: string;
  is_complete: number;
}

declare module "@farthing/engine/storage" {
  interface Tables {
    usage_days: UsageDayTable;
    sales_by_payer: SalesByPayerTable;
    sales_by_day: SalesByDayTable;
    sums_progress: SumsProgressTable;
  }
}
