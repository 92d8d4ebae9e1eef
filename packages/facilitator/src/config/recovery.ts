/** Reads the settings by which payments are found again that the database has lost. */
import { parseAddress } from "@farthing/protocol";
import type { ReadSetting } from "./settings-table.ts";
import { listOf, longSecret } from "./values.ts";

export function readRecoverySettings(read: ReadSetting) {
  return {
    formerWallets: read("FARTHING_FORMER_WALLETS", listOf(parseAddress)) ?? [],
    sharedWallets: read("FARTHING_SHARED_WALLETS", listOf(parseAddress)) ?? [],
    /** Undefined for random ids. */
    idSecret: read("FARTHING_ID_SECRET", longSecret),
  };
}
