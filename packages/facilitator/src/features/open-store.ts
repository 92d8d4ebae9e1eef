/** Opens the store of the service: the stores of the engine and of all features. */
import { Fault, silentLog, type Log } from "@farthing/engine/base";
import {
  createReadServer,
  createStorage,
  type ReadServer,
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
  /** A PostgreSQL server for the lists, which may be some seconds old. */
  readonly readUrl?: string | undefined;
}

/**
 * Lists that people and programs look through. Nothing that a payment waits for, and no settlement by
 * its id: that is asked for right after it was made.
 */
const lists: ReadonlySet<string | symbol> = new Set<keyof FeatureStores>([
  "countCalls",
  "listAccountSettlements",
  "listCalls",
  "listCreditEntries",
  "listCustomers",
  "listDeliveries",
  "listPublicListings",
  "listRevenue",
  "listRevenueByName",
  "listUsage",
  "searchPublicListings",
]);

/** A store before `open`; it has to be closed in any case. */
export type ClosedStore = ServiceStore &
  Pick<Storage, "isReadOnly" | "describeServer" | "checkNews"> & {
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
  const reads =
    options.readUrl === undefined ? undefined : readsFrom(options.readUrl, storage, log);
  let summing: HistorySumming | undefined;
  return {
    ...store,
    ping: storage.ping,
    checkWritable: storage.checkWritable,
    isReadOnly: storage.isReadOnly,
    describeServer: storage.describeServer,
    checkNews: storage.checkNews,
    ...guard({
      ...listedFrom(createFeatureStores(database), reads),
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
        await reads?.close();
        await storage.close();
      },
    }),
  };
}

/** Throws the fault `configuration` for a wrong URL, and beside a SQLite file. */
function readsFrom(readUrl: string, { database }: Storage, log: Log): ReadServer {
  if (database.engine.hasRowLocks) return createReadServer(readUrl, log);
  const message = "DATABASE_READ_URL needs PostgreSQL in DATABASE_URL; leave it out with SQLite";
  throw new Fault("configuration", message, { retryable: false });
}

/** The stores of features, whose lists come from the read server while it is usable. */
function listedFrom(first: FeatureStores, reads: ReadServer | undefined): FeatureStores {
  if (!reads) return first;
  const second = createFeatureStores(reads.database);
  return new Proxy(first, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      const other: unknown = Reflect.get(second, name);
      if (!lists.has(name) || typeof method !== "function" || typeof other !== "function") {
        return method;
      }
      return (...parameters: unknown[]) =>
        reads.read<unknown>(
          async () => Reflect.apply(other, second, parameters),
          async () => Reflect.apply(method, target, parameters),
        );
    },
  });
}
