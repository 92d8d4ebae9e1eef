/** Databases to test stores on, one of each kind; what runs on both is a suite. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { openStore, type StoreOptions, type ServiceStore } from "../../src/features/open-store.ts";
import { startPostgres, type TestPostgres } from "@farthing/engine/source/storage/postgres.testing";
import type { StoreBench } from "./store-values.testing.ts";

let emptyFile: Promise<string> | undefined;

/** A file with the newest schema and nothing in it: to copy it takes a moment, to make it many synced writes. */
async function makeEmptyFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-store-empty-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "empty.db");
  await (await openStore(`sqlite:${file}`)).close();
  return file;
}

/** A SQLite file of its own. */
export async function startSqlite() {
  const folder = mkdtempSync(join(tmpdir(), "farthing-store-"));
  const file = join(folder, "farthing.db");
  copyFileSync(await (emptyFile ??= makeEmptyFile()), file);
  return {
    isConcurrent: false,
    databaseUrl: `sqlite:${file}`,
    open: () => openStore(`sqlite:${file}`),
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
export function postgresStarter(server: () => TestPostgres) {
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
      open: (options?: StoreOptions) => openStore(url, options),
      query,
      async stop() {
        await query(
          "truncate settlements, settlement_claims, payment_identifiers, payment_exchanges, payer_exchanges, relayer_transactions, transaction_settlements, lanes, credit_entries, credit_closings, sign_requests, payer_pauses, accounts, keyless_counters, keyless_charges, keyless_payee_facts, usage_days, listing_words, sales_by_payer, sales_by_day, reverted_gas_reservations, failure_watches cascade",
        );
      },
    };
  };
}

/** A store to test. */
export type StoreAt = () => { readonly bench: StoreBench; readonly store: ServiceStore };

/** Gives each test that comes after a store of its own; it is closed behind the test. */
export function storeForEach(start: () => Promise<StoreBench>): StoreAt {
  let bench: StoreBench;
  let store: ServiceStore;
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

/** Both kinds, for `describe.each`; the server runs while the tests of the calling file do. */
export function bothEngines(): readonly (readonly [string, () => Promise<StoreBench>])[] {
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
