/** Databases to test stores on, one of each kind; what runs on both is a suite. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createStorage, type StorageOptions } from "../../src/storage.ts";
import { startPostgres, type TestPostgres } from "../../src/storage/postgres.testing.ts";
import type { StoreBench, TestStore } from "./store-values.testing.ts";

interface Closable {
  close(): Promise<void>;
}

type Open<Store> = (databaseUrl: string) => Promise<Store>;

/** Opens the stores of an engine without participants. */
export async function openStore(
  databaseUrl: string,
  options: StorageOptions = {},
): Promise<TestStore> {
  const storage = createStorage(databaseUrl, [], options);
  try {
    await storage.open();
  } catch (error) {
    await storage.close();
    throw error;
  }
  return { ...storage.store, ping: storage.ping, close: storage.close };
}

/** A file with the newest schema and nothing in it: to copy it takes a moment, to make it many synced writes. */
async function makeEmptyFile(open: Open<Closable>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-store-empty-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "empty.db");
  await (await open(`sqlite:${file}`)).close();
  return file;
}

/** A SQLite file of its own. */
async function startFile<Store>(emptyFile: string, open: Open<Store>) {
  const folder = mkdtempSync(join(tmpdir(), "farthing-store-"));
  const file = join(folder, "farthing.db");
  copyFileSync(emptyFile, file);
  return {
    isConcurrent: false,
    databaseUrl: `sqlite:${file}`,
    open: () => open(`sqlite:${file}`),
    async query(statement: string) {
      const database = new DatabaseSync(file);
      try {
        return database.prepare(statement).all();
      } finally {
        database.close();
      }
    },
    stop: async () => rmSync(folder, { recursive: true }),
  };
}

/** A database of a server: always the same one, emptied after each test, which is quicker. */
function serverStarter<Store>(server: () => TestPostgres, open: Open<Store>) {
  let shared: string | undefined;
  return async () => {
    const url = (shared ??= await server().createDatabase());
    async function query(statement: string) {
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        const { rows } = await client.query<Record<string, unknown>>(statement);
        return rows;
      } finally {
        await client.end();
      }
    }
    return {
      isConcurrent: true,
      databaseUrl: url,
      open: () => open(url),
      query,
      // The engine's migrations make the tables of features too.
      async stop() {
        await query(
          "truncate settlements, settlement_claims, payment_identifiers, payment_exchanges, payer_exchanges, relayer_transactions, closed_transactions, transaction_settlements, lanes, credit_entries, credit_closings, sign_requests, payer_pauses, accounts, keyless_counters, keyless_charges, keyless_payee_facts, usage_days, listing_words, sales_by_payer, sales_by_day, reverted_gas_reservations, failure_watches, refunds cascade",
        );
      },
    };
  };
}

/** Databases of both kinds, on which `open` opens the stores. */
export function createBenches<Store extends Closable>(open: Open<Store>) {
  let emptyFile: Promise<string> | undefined;
  const startSqlite = async (): Promise<StoreBench<Store>> =>
    startFile(await (emptyFile ??= makeEmptyFile(open)), open);
  const postgresStarter = (server: () => TestPostgres): (() => Promise<StoreBench<Store>>) =>
    serverStarter(server, open);

  /** Both kinds, for `describe.each`; the server runs while the tests of the calling file do. */
  function bothEngines(): readonly (readonly [string, () => Promise<StoreBench<Store>>])[] {
    let server: TestPostgres;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server?.stop());
    return [
      ["SQLite", startSqlite],
      ["PostgreSQL", postgresStarter(() => server)],
    ];
  }

  return { startSqlite, postgresStarter, bothEngines };
}

export const { startSqlite, postgresStarter, bothEngines } = createBenches(openStore);

/** A store to test. */
export type StoreAt<Store = TestStore> = () => {
  readonly bench: StoreBench<Store>;
  readonly store: Store;
};

/** Gives each test that comes after a store of its own; it is closed behind the test. */
export function storeForEach<Store extends Closable>(
  start: () => Promise<StoreBench<Store>>,
): StoreAt<Store> {
  let bench: StoreBench<Store>;
  let store: Store;
  beforeEach(async () => {
    bench = await start();
    store = await bench.open();
  });
  afterEach(async () => {
    await store.close();
    await bench.stop();
  });
  return () => ({ bench, store });
}

/** Opens a new database before each test, as often as processes share it. */
export function storesForEach<Store extends Closable>(
  start: () => Promise<StoreBench<Store>>,
  count: number,
): (index: number) => Store {
  let bench: StoreBench<Store>;
  let stores: Store[];
  beforeEach(async () => {
    bench = await start();
    stores = [];
    while (stores.length < count) stores.push(await bench.open());
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await bench.stop();
  });
  return (index) => {
    const store = stores[index];
    if (!store) throw new Error(`there is no process ${index}`);
    return store;
  };
}
