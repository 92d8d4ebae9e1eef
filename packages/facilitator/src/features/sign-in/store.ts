/** The stores of sessions, linked wallets and sign requests. */
import type { Database } from "@farthing/engine/storage";
import { createSessionStore, type SessionStore } from "./session-store.ts";
import { createSignRequestStore, type SignRequestStore } from "./sign-request-store.ts";
import { createWalletStore, type WalletStore } from "./wallet-store.ts";

export interface SignInStore extends SessionStore, SignRequestStore, WalletStore {}

export function createSignInStore(database: Database): SignInStore {
  return {
    ...createSessionStore(database),
    ...createSignRequestStore(database),
    ...createWalletStore(database),
  };
}
