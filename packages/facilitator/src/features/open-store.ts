/** Opens the store of the service: the engine's, and those of the features around it. */
import { silentLog } from "@farthing/engine/base";
import {
  createStorage,
  guard,
  nothing,
  type SettlementParticipant,
  type StorageOptions,
} from "@farthing/engine/storage";
import { accountVerbs } from "./accounts/store.ts";
import { apiKeyVerbs } from "./api-keys/store.ts";
import { historyVerbs } from "./history/store.ts";
import { keylessVerbs } from "../payments/keyless/participant.ts";
import { creditVerbs } from "./credits/store.ts";
import { listingVerbs } from "./listings/store.ts";
import { purchaseVerbs } from "./purchases/store.ts";
import { serviceParticipants } from "./participants.ts";
import { sessionVerbs } from "./sign-in/session-store.ts";
import { isComplete } from "./history/participant.ts";
import { signRequestVerbs } from "./sign-in/sign-request-store.ts";
import type { Store } from "./store.ts";
import { startSummingHistory, type HistorySumming } from "./history/backfill-store.ts";
import { walletVerbs } from "./sign-in/wallet-store.ts";
import { webhookVerbs } from "./webhooks/store.ts";

/** What a store may be given. */
export interface StoreOptions extends StorageOptions {
  /** Who takes part in settlements, in this order; the service's own when left out. */
  readonly participants?: readonly SettlementParticipant[];
}

/** A store that has to be opened before anything else is asked of it; it is closed in any case. */
export interface ClosedStore extends Store {
  /** Brings the schema up to date. Throws `storage_unavailable`. */
  open(): Promise<void>;
}

/**
 * Opens `sqlite:/path/to/file`, `sqlite::memory:` or `postgres://…`. Throws `storage_unavailable`,
 * or `configuration` for anything else.
 */
export async function openStore(databaseUrl: string, options: StoreOptions = {}): Promise<Store> {
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
      ...accountVerbs(database),
      ...signRequestVerbs(database),
      ...sessionVerbs(database),
      ...walletVerbs(database),
      ...apiKeyVerbs(database),
      ...creditVerbs(database),
      ...purchaseVerbs(database),
      ...historyVerbs(database),
      ...webhookVerbs(database),
      ...listingVerbs(database),
      ...keylessVerbs(database),
      pruneSettlements: async (...given: Parameters<Store["pruneSettlements"]>) =>
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
