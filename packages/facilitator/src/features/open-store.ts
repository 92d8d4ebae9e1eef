/** Opens the store of the service: the stores of the engine and of all features. */
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
import { createKeylessStore, type KeylessStore } from "../payments/keyless/participant.ts";
import { createFeatureStores, type FeatureStores, features, migrationsOf } from "./features.ts";
import { serviceParticipants } from "./participants.ts";
import { isComplete } from "./history/participant.ts";
import { startSummingHistory, type HistorySumming } from "./history/backfill-store.ts";

export type ServiceStore = EngineStores &
  Pick<Storage, "ping" | "checkWritable" | "close"> &
  FeatureStores &
  KeylessStore;

export interface StoreOptions extends StorageOptions {
  /** In this order; the service's participants when left out. */
  readonly participants?: readonly SettlementParticipant[];
}

/** A store before `open`; it has to be closed in any case. */
export type ClosedStore = ServiceStore &
  Pick<Storage, "isReadOnly"> & {
    /** Migrates the schema. Throws `storage_unavailable`. */
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

/** Creates the store without a connection. Throws as `openStore` does for a wrong URL or path. */
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
    checkWritable: storage.checkWritable,
    isReadOnly: storage.isReadOnly,
    ...guard({
      ...createFeatureStores(database),
      ...createKeylessStore(database),
      pruneSettlements: async (...args: Parameters<EngineStore["pruneSettlements"]>) =>
        // No settlement can be removed before it is in the sums.
        (await isComplete(database)) ? store.pruneSettlements(...args) : nothing,
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
