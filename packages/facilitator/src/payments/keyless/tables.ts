/** The tables of the limits for callers without a key, as Kysely types. Amounts of gas are gwei. */
import type { GasHalf } from "@farthing/engine";
import {
  integer,
  nullable,
  smallInteger,
  table,
  text,
  walletAddress,
  type KyselyTable,
} from "@farthing/engine/storage";
import type { Address, ChainId } from "@farthing/protocol";
import type { Selectable } from "kysely";

export const chargeTable = table("keyless_charges", {
  settlementId: text(),
  chainId: smallInteger<ChainId>(),
  payer: walletAddress(),
  spentSlot: nullable(integer()),
  spent: integer(),
  countSlot: nullable(integer()),
  half: nullable(text<GasHalf>()),
  callerNetwork: nullable(text()),
  gwei: integer(),
});

export interface KeylessPayeeFactTable {
  chain_id: ChainId;
  pay_to: Address;
  kind: "payer" | "day";
  value: string;
}

export type KeylessChargeRow = Selectable<KyselyTable<typeof chargeTable>>;

declare module "@farthing/engine/storage" {
  interface Tables {
    keyless_charges: KyselyTable<typeof chargeTable>;
    keyless_payee_facts: KeylessPayeeFactTable;
  }
}
