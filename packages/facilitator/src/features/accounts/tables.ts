/** The table of accounts. */
import type { ChainId } from "@farthing/protocol";
import {
  integer,
  nullable,
  optional,
  smallInteger,
  table,
  text,
  walletAddress,
  type KyselyTable,
} from "@farthing/engine/storage";
import type { Plan } from "./model.ts";

export const accountTable = table("accounts", {
  address: walletAddress(),
  plan: text<Plan>(),
  label: optional(text()),
  lowCreditsAt: optional(nullable(integer())),
  contractChainId: optional(nullable(smallInteger<ChainId>())),
  createdAt: integer(),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    accounts: KyselyTable<typeof accountTable>;
  }
}
