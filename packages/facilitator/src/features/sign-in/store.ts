/** The stores of sessions, linked wallets and sign requests. */
import type { Database } from "@farthing/engine/storage";
import { createSessionStore } from "./session-store.ts";
import { createSignRequestStore } from "./sign-request-store.ts";
import { createWalletStore } from "./wallet-store.ts";

export type SignInStore = ReturnType<typeof createSignInStore>;

export function createSignInStore(database: Database) {
  return {
    ...createSessionStore(database),
    ...createSignRequestStore(database),
    ...createWalletStore(database),
  };
}
