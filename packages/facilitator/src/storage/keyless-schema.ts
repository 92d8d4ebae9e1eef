/** The tables of the limits for callers without a key, as Kysely types. Amounts of gas are gwei. */
import type { Address, ChainId } from "@farthing/protocol";
import type { Selectable } from "kysely";
import type { GasHalf } from "../model/keyless.ts";
import type { Whole, WholeOrNull } from "./columns.ts";

/**
 * What a counter counts.
 * - `half`, `network`: gas of a half of the budget, and of one caller network in it; buckets.
 * - `spent`, `count`: USDC and settlements of a payer, by parts of the window.
 * - `noted`: a payment that `/verify` found valid while the budget was tight.
 * - `proven`: a payee from a day on, which is the slot.
 * - `reverted`: gas of a half of the budget that contract wallets burn by reverting; a bucket.
 * - `proven_payer`: a contract wallet from a day on, which is the slot.
 */
export type CounterKind =
  | "half"
  | "network"
  | "spent"
  | "count"
  | "noted"
  | "proven"
  | "reverted"
  | "proven_payer";

export interface KeylessCounterTable {
  chain_id: ChainId;
  kind: CounterKind;
  name: string;
  slot: Whole;
  amount: Whole;
  hour: Whole;
  refill: Whole;
  expires_at: Whole;
}

export interface KeylessChargeTable {
  settlement_id: string;
  chain_id: ChainId;
  payer: Address;
  spent_slot: WholeOrNull;
  spent: Whole;
  count_slot: WholeOrNull;
  half: GasHalf | null;
  caller_network: string | null;
  gwei: Whole;
}

export interface RevertedGasReservationTable {
  settlement_id: string;
  half: GasHalf;
  gwei: Whole;
}

export interface KeylessPayeeFactTable {
  chain_id: ChainId;
  pay_to: Address;
  kind: "payer" | "day";
  value: string;
}

export type KeylessChargeRow = Selectable<KeylessChargeTable>;
