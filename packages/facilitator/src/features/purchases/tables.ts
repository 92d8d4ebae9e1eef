/** The table of purchases of credits. */
import type { Whole } from "@farthing/engine/storage";
import type { Address, ChainId, Hex } from "@farthing/protocol";
import type { Selectable } from "kysely";
import type { Later, LaterWhole } from "../accounts/tables.ts";
import type { HoldReason, PurchaseState } from "./model.ts";

export interface CreditPurchaseTable {
  id: string;
  account: Address;
  chain_id: ChainId;
  payer: Address | null;
  credits: Whole;
  units: string;
  state: PurchaseState;
  settlement_id: Later<string>;
  hold_reason: Later<HoldReason>;
  failure_message: Later<string>;
  reviewer: Later<string>;
  review_note: Later<string>;
  transaction_hash: Later<Hex>;
  block_number: LaterWhole;
  log_index: Later<number>;
  /** JSON: `[{ state, at }]`, oldest first. */
  timeline: string;
  created_at: Whole;
  expires_at: Whole;
  updated_at: Whole;
  credited_at: LaterWhole;
}

export type CreditPurchaseRow = Selectable<CreditPurchaseTable>;

declare module "@farthing/engine/storage" {
  interface Tables {
    credit_purchases: CreditPurchaseTable;
  }
}
