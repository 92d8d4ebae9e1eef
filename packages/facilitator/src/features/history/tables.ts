/** The tables of sums over settlements. Days are counted from 1970-01-01 in UTC. */
import type { Address, ChainId } from "@farthing/protocol";
import type { Whole } from "@farthing/engine/storage";

/** Queued and submitted settlements are pending. */
export type Outcome = "pending" | "confirmed" | "failed";

/** By the day of the claim. */
export interface UsageDayTable {
  account: Address;
  day: Whole;
  chain_id: ChainId;
  outcome: Outcome;
  settlements: Whole;
  /** USDC base units of confirmed settlements. */
  units: Whole;
  credits: Whole;
}

/** Confirmed settlements by price and payer. */
export interface SalesByPayerTable {
  account: Address;
  chain_id: ChainId;
  amount: string;
  payer: Address;
  day: Whole;
  settlements: Whole;
}

/** Confirmed settlements by price. */
export interface SalesByDayTable {
  account: Address;
  chain_id: ChainId;
  amount: string;
  day: Whole;
  settlements: Whole;
  /** Payers whose last purchase was on this day. */
  payers: Whole;
  last_settled_at: Whole;
}

/** The single row with the progress of the backfill. */
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
