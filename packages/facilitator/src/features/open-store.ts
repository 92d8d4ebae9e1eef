/** Opens the store of the service: the engine's, and those of the features around it. */
import { silentLog } from "@farthing/engine/base";
import {
  createStorage,
  guard,
  nothing,
  type SettlementParticipant,
  type StorageOptions,
  type EngineStore,
  type EngineStores,
  type Storage,
} from "@farthing/engine/storage";
import type { KeylessStore } from "../payments/keyless/store.ts";
import { createKeylessStore } from "../payments/keyless/participant.ts";
import { createFeatureStores, type FeatureStores, features, migrationsOf } from "./features.ts";
import { serviceParticipants } from "./participants.ts";
import { isComplete } from "./history/participant.ts";
import { startSummingHistory, type HistorySumming } from "./history/backfill-store.ts";

/** The store of the service: the engine's, and those of its features. */
export type ServiceStore = EngineStores &
  Pick<Storage, "ping" | "close"> &
  FeatureStores &
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
  const storage = createStorage(databaseUrl, participants, {
    migrations: migrationsOf(features),
    ...options,
  });
  const { database, store } = storage;
  let summing: HistorySumming | undefined;
  return {
    ...store,
    ping: storage.ping,
    ...guard({
      ...createFeatureStores(database),
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
