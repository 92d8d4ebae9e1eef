/** The tables of the limits for callers without a key. Amounts of gas are gwei. */
import type { ChainId } from "@farthing/protocol";
import type { GasHalf } from "../model/keyless.ts";
import type { Whole } from "./columns.ts";
import { integer, smallInteger, table, text } from "./table.ts";

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

export const counterTable = table("keyless_counters", {
  chainId: smallInteger<ChainId>(),
  kind: text<CounterKind>(),
  name: text(),
  slot: integer(),
  amount: integer(),
  hour: integer(),
  refill: integer(),
  expiresAt: integer(),
});

export interface RevertedGasReservationTable {
  settlement_id: string;
  half: GasHalf;
  gwei: Whole;
}
