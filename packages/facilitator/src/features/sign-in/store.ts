/** Sign-in: sessions, linked wallets and the texts that wallets sign. */
import type { Database } from "@farthing/engine/storage";
import { createSessionStore, type SessionStore } from "./session-store.ts";
import { createSignRequestStore, type SignRequestStore } from "./sign-request-store.ts";
import { createWalletStore, type WalletStore } from "./wallet-store.ts";

export interface SignInStore extends SessionStore, SignRequestStore, WalletStore {}

/** Creates the store of sign-in. */
export function createSignInStore(database: Database): SignInStore {
  return {
    ...createSessionStore(database),
    ...createSignRequestStore(database),
    ...createWalletStore(database),
  };
}
