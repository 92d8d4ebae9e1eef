/** Opens the store of the service: the engine's, and those of the features around it. */
import { silentLog } from "@farthing/engine/base";
import {
  createStorage,
  guard,
  nothing,
  type SettlementParticipant,
  type StorageOptions,
  type EngineStore,
} from "@farthing/engine/storage";
import { createSignInStore, type SignInStore } from "./sign-in/store.ts";
import type { KeylessStore } from "../payments/keyless/store.ts";
import { type AccountStore, createAccountStore } from "./accounts/store.ts";
import { type ApiKeyStore, createApiKeyStore } from "./api-keys/store.ts";
import { type HistoryStore, createHistoryStore } from "./history/store.ts";
import { createKeylessStore } from "../payments/keyless/participant.ts";
import { type CreditStore, createCreditStore } from "./credits/store.ts";
import { type ListingStore, createListingStore } from "./listings/store.ts";
import { type PurchaseStore, createPurchaseStore } from "./purchases/store.ts";
import { serviceParticipants } from "./participants.ts";
import { isComplete } from "./history/participant.ts";
import { startSummingHistory, type HistorySumming } from "./history/backfill-store.ts";
import { type WebhookStore, createWebhookStore } from "./webhooks/store.ts";

/** The store of the service: the engine's, and those of its features. */
export type ServiceStore = EngineStore &
  AccountStore &
  SignInStore &
  ApiKeyStore &
  CreditStore &
  PurchaseStore &
  HistoryStore &
  WebhookStore &
  ListingStore &
  KeylessStore;

/** What a store may be given. */
export interface StoreOptions extends StorageOptions {
  /** Who takes part in settlements, in this order; the service's own when left out. */
  readonly participants?: readonly SettlementParticipant[];
}

/** A store that has to be opened before anything else is asked of it; it is closed in any case. */
export type ClosedStore = ServiceStore & {
  /** Brings the schema up to date. Throws `storage_unavailable`. */
  open(): Promise<void>;
};

/**
 * Opens `sqlite:/path/to/file`, `sqlite::memory:` or `postgres://…`. Throws `storage_unavailable`,
 * or `configuration` for anything else.
 */
export async function openStore(
  databaseUrl: string,
  options: StoreOptions = {},
): Promise<ServiceStore> {
  const store = createStore(databaseUrl, options);
  try {
    await store.open();
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Names a database without asking it anything. Throws as `openStore` does for a wrong URL or path. */
export function createStore(databaseUrl: string, options: StoreOptions = {}): ClosedStore {
  const { log = silentLog, participants = serviceParticipants } = options;
  const storage = createStorage(databaseUrl, participants, options);
  const { database, store } = storage;
  let summing: HistorySumming | undefined;
  return {
    ...store,
    ...guard({
      ...createAccountStore(database),
      ...createSignInStore(database),
      ...createApiKeyStore(database),
      ...createCreditStore(database),
      ...createPurchaseStore(database),
      ...createHistoryStore(database),
      ...createWebhookStore(database),
      ...createListingStore(database),
      ...createKeylessStore(database),
      pruneSettlements: async (...given: Parameters<EngineStore["pruneSettlements"]>) =>
        // Nothing can be removed until the sums have it, so nothing is looked for either.
        (await isComplete(database)) ? store.pruneSettlements(...given) : nothing,
      open: async () => {
        await storage.open();
        summing = await startSummingHistory(database, log);
      },
      close: async () => {
        await summing?.stop();
        await storage.close();
      },
    }),
  };
}
