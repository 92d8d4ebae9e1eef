/** The wallets of this browser, for components. */
import { findWalletsInTime, watchWallets, type Wallet } from "@farthing/buyer/wallet";
import { useSyncExternalStore } from "react";

/** The wallets known so far; undefined while the first have not had time to show themselves. */
export function useWallets(): readonly Wallet[] | undefined {
  return useSyncExternalStore(watchWallets, findWalletsInTime);
}
