/** Accounts. Each belongs to one address and has default values before it is stored. */
import type { Address } from "@farthing/protocol";
import type { AccountChanges } from "./model.ts";
import type { AccountStore } from "./store.ts";

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(store: Pick<AccountStore, "findAccount" | "updateAccount">) {
  return {
    /** An account that is not stored yet is active and has no label. */
    find: async (address: Address) =>
      (await store.findAccount(address)) ?? { address, ...unstored },
    /** Changes what is named; an account that is not stored stays as it is. */
    async update(address: Address, changes: AccountChanges) {
      await store.updateAccount(address, changes);
    },
  };
}

const unstored = {
  plan: "active",
  label: "",
  lowCreditsAt: null,
  contractChainId: null,
  createdAt: 0,
} as const;
