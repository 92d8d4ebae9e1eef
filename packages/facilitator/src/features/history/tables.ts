/** The tables of sums over settlements. Days are counted from 1970-01-01 in UTC. */
import type { TransactionState } from "@farthing/engine";
import type { ChainId, Hex } from "@farthing/protocol";
import {
  decimal,
  integer,
  nullable,
  smallInteger,
  table,
  text,
  walletAddress,
  type KyselyTable,
  type Whole,
} from "@farthing/engine/storage";

/** Queued and submitted settlements are pending. */
export type Outcome = "pending" | "confirmed" | "failed";

/** By the day of the claim. Units are those of confirmed settlements. */
export const usageDays = table("usage_days", {
  account: walletAddress(),
  day: integer(),
  chainId: smallInteger<ChainId>(),
  outcome: text<Outcome>(),
  settlements: integer(),
  units: decimal(),
  credits: integer(),
});

/** A price, as the key of sums. */
const price = {
  account: walletAddress(),
  chainId: smallInteger<ChainId>(),
  amount: text(),
  day: integer(),
  settlements: integer(),
};

export const salesByPayer = table("sales_by_payer", { ...price, payer: walletAddress() });

/** `payers` are those whose last purchase was on this day. */
export const salesByDay = table("sales_by_day", {
  ...price,
  payers: integer(),
  lastSettledAt: integer(),
});

/** The history of relayer transactions. Prices are wei per gas. */
export const carrierColumns = table("relayer_transactions", {
  hash: nullable(text<Hex>()),
  lane: walletAddress(),
  nonce: integer(),
  state: text<TransactionState>(),
  gasPrice: decimal(),
  createdAt: integer(),
  sentAt: nullable(integer()),
  blockNumber: nullable(integer()),
  /** Of the whole transaction; like the price, null until its receipt was read. */
  gasUsed: nullable(integer()),
  gasPricePaid: nullable(decimal()),
});

/** The single row with the progress of the backfill. */
export interface SumsProgressTable {
  account: string;
  created_at: Whole;
  id: string;
  is_complete: number;
}

declare module "@farthing/engine/storage" {
  interface Tables {
    usage_days: KyselyTable<typeof usageDays>;
    sales_by_payer: KyselyTable<typeof salesByPayer>;
    sales_by_day: KyselyTable<typeof salesByDay>;
    sums_progress: SumsProgressTable;
  }
}
