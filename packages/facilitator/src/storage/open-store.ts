/** Opens the store of the service: the engine's, and those of the features around it. */
import { silentLog } from "../base/log.ts";
import { accountVerbs } from "./accounts.ts";
import { apiKeyVerbs } from "./api-keys.ts";
import { historyVerbs } from "./history.ts";
import { keylessVerbs } from "./keyless-limits.ts";
import { creditVerbs } from "./ledger.ts";
import { listingVerbs } from "./listings.ts";
import { createStorage, guard, type StorageOptions } from "./open-storage.ts";
import type { SettlementParticipant } from "./participant.ts";
import { purchaseVerbs } from "./purchases.ts";
import { nothing } from "./retention.ts";
import { serviceParticipants } from "./service-participants.ts";
import { sessionVerbs } from "./sessions.ts";
import { isComplete } from "./settlement-sums.ts";
import { signRequestVerbs } from "./sign-requests.ts";
import type { Store } from "./store.ts";
import { startSummingHistory, type HistorySumming } from "./sum-history.ts";
import { walletVerbs } from "./wallets.ts";
import { webhookVerbs } from "./webhooks.ts";

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
