/** The tables of the limits for callers without a key, as Kysely types. Amounts of gas are gwei. */
import type { GasHalf } from "@farthing/engine";
import type { Whole, WholeOrNull } from "@farthing/engine/storage";
import type { Address, ChainId } from "@farthing/protocol";
import type { Selectable } from "kysely";

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

export interface KeylessPayeeFactTable {
  chain_id: ChainId;
  pay_to: Address;
  kind: "payer" | "day";
  value: string;
}

export type KeylessChargeRow = Selectable<KeylessChargeTable>;

declare module "@farthing/engine/storage" {
  interface Tables {
    keyless_charges: KeylessChargeTable;
    keyless_payee_facts: KeylessPayeeFactTable;
  }
}
