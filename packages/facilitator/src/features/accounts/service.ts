/** Accounts. Each belongs to one address and has default values before it is stored. */
import type { Address } from "@farthing/protocol";
import type { Account } from "./model.ts";
import type { AccountStore } from "./store.ts";

export interface Accounts {
  /** An account that is not stored yet is active and has no label. */
  find(address: Address): Promise<Account>;
  /** Changes the given values; an account that is not stored stays as it is. */
  update(
    address: Address,
    changes: { readonly label?: string; readonly lowCreditsAt?: number | null },
  ): Promise<void>;
}

export function createAccounts(
  store: Pick<AccountStore, "findAccount" | "updateAccount">,
): Accounts {
  return {
    find: async (address) => (await store.findAccount(address)) ?? { address, ...unstored },
    async update(address, changes) {
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
