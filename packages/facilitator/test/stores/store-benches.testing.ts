/** Databases to test the service's stores on, one of each kind. */
import * as engine from "@farthing/engine/testing/store-benches";
import type { TestPostgres } from "@farthing/engine/source/storage/postgres.testing";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";

export { storeForEach } from "@farthing/engine/testing/store-benches";

export const { startSqlite, postgresStarter, bothEngines } = engine.createBenches(openStore);

type StoreBench = Awaited<ReturnType<typeof startSqlite>>;

/** A store to test. */
export type StoreAt = engine.StoreAt<ServiceStore>;

/**
 * PostgreSQL as an earlier version has filled it: its deliveries are in one table. The database has no
 * row any more, as in every other bench.
 */
export function undividedStarter(server: () => TestPostgres): () => Promise<StoreBench> {
  const start = postgresStarter(server);
  return async () => {
    const bench = await start();
    const [{ isThere } = {}] = await bench.query(
      `select to_regclass('webhook_deliveries') is not null as "isThere"`,
    );
    if (isThere === true) return bench;
    // The engine's migrations make the table, and the features' ones divide it where it is empty.
    await (await engine.openStore(bench.databaseUrl)).close();
    await bench.query(
      "insert into accounts (address, plan, created_at) values ('0xold', 'active', 1)",
    );
    await bench.query(
      "insert into webhook_endpoints (id, account, url, secret, events, created_at, watched_since) values ('old', '0xold', '', '', '[]', 1, 1)",
    );
    await bench.query(
      "insert into webhook_deliveries (id, endpoint_id, account, type, body, state, attempts, next_at, created_at) values ('old', 'old', '0xold', 'test', '{}', 'delivered', 1, 1, 1)",
    );
    await (await bench.open()).close();
    await bench.stop();
    return bench;
  };
}
