/** Looking at a database changes nothing in it, and tells schema, wallets and their holders. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEarlierSchema } from "../../src/storage/earlier-schema.testing.ts";
import { migrationNames } from "../../src/storage/migrate.ts";
import { startPostgres, type TestPostgres } from "../../src/storage/postgres.testing.ts";
import { inspectStore, inspectUpgrade } from "../../src/storage.ts";
import { openStore } from "./store-benches.testing.ts";
import { chainId, claimOf, lane, planOf, take } from "./store-values.testing.ts";

let folder: string;
let server: TestPostgres;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-inspect-"));
  server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

let files = 0;
const newFile = () => join(folder, `farthing-${++files}.db`);

/** A statement in a database, from outside. */
async function run(databaseUrl: string, statement: string): Promise<void> {
  if (databaseUrl.startsWith("sqlite:")) {
    const database = new DatabaseSync(databaseUrl.replace("sqlite:", ""));
    database.exec(statement);
    return database.close();
  }
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query(statement);
  await client.end();
}

describe.each([
  ["SQLite", async () => `sqlite:${newFile()}`],
  ["PostgreSQL", () => server.createDatabase()],
] as const)("%s", (_name, create) => {
  test("a new one: everything is missing, and still is afterwards", async () => {
    const databaseUrl = await create();
    const fresh = { isNew: true, missing: migrationNames, unknown: [], wallets: [], open: [] };
    expect(await inspectStore(databaseUrl, 0)).toEqual(fresh);
    expect(await inspectStore(databaseUrl, 0)).toEqual(fresh);
    if (databaseUrl.startsWith("sqlite:")) expect(existsSync(databaseUrl.slice(7))).toBe(false);
  });

  test("one at work: holder, next nonce, what is open; free when it is given back", async () => {
    const databaseUrl = await create();
    const store = await openStore(databaseUrl);
    const now = Date.now();
    const lease = await take(store, "host/1/a", { nonceFloor: 7, now, leaseMs: 60_000 });
    if (!lease) throw new Error("the lane is free");
    const claim = claimOf();
    await store.claimSettlements([claim], now);
    await store.reserveTransactions(lease, [planOf(claim.id)], now);
    const report = await inspectStore(databaseUrl, now);
    expect(report).toMatchObject({ isNew: false, missing: [], unknown: [] });
    expect(report.size?.used).toBeGreaterThan(10_000);
    expect(report.open).toEqual([
      { chainId, state: "queued", count: 1, oldestAt: now },
      { chainId, state: "submitted", count: 0, oldestAt: null },
    ]);
    const isFile = databaseUrl.startsWith("sqlite:");
    expect(report.size?.free).toEqual(isFile ? expect.any(Number) : undefined);
    expect(report.wallets).toMatchObject([
      { chainId, wallet: lane, nextNonce: 8, holder: "host/1/a", open: 1 },
    ]);
    await store.releaseWallets(chainId, "host/1/a");
    expect((await inspectStore(databaseUrl, now)).wallets).toMatchObject([{ holder: null }]);
    await store.close();
  });

  test("what an upgrade would change: migrations of features, and indexes", async () => {
    const databaseUrl = await create();
    await (await openStore(databaseUrl)).close();
    const isSqlite = databaseUrl.startsWith("sqlite:");
    const none = await inspectUpgrade(databaseUrl, 0, []);
    expect(none).toMatchObject({ missing: [], unknown: [], indexes: [], settlements: 0, isSqlite });
    await run(databaseUrl, "drop index settlements_by_payer");
    const report = await inspectUpgrade(databaseUrl, 0, ["notes/0001-notes"]);
    expect(report.missing).toEqual(["notes/0001-notes"]);
    expect(report.indexes).toEqual([{ name: "settlements_by_payer", table: "settlements" }]);
  });

  test("one of an earlier version: what is missing, and who works on it", async () => {
    const databaseUrl = await create();
    await createEarlierSchema(databaseUrl);
    await run(
      databaseUrl,
      `insert into lanes (chain_id, lane, next_nonce, lease_owner, lease_until, fence)
       values (51, '0xab', 7, 'pay-1/4711/a', ${Date.now() + 60_000}, 1)`,
    );
    const report = await inspectUpgrade(databaseUrl, Date.now(), []);
    expect(report.missing).toContain(migrationNames.at(-1));
    expect(report.wallets).toMatchObject([{ wallet: "0xab", holder: "pay-1/4711/a", open: 0 }]);
  });

  test("one of a newer version is recognised, and not read any further", async () => {
    const databaseUrl = await create();
    await (await openStore(databaseUrl)).close();
    await run(
      databaseUrl,
      "insert into kysely_migration (name, timestamp) values ('9999-later', '2030')",
    );
    expect(await inspectStore(databaseUrl, 0)).toMatchObject({
      unknown: ["9999-later"],
      wallets: [],
    });
    // An older program beside a newer schema would do what it does not understand.
    await expect(openStore(databaseUrl)).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

test("a file that is no database: a fault, and the file stays as it is", async () => {
  const path = newFile();
  writeFileSync(path, "these are not the bytes of a database, and they are long enough");
  await expect(inspectStore(`sqlite:${path}`, 0)).rejects.toMatchObject({
    code: "storage_unavailable",
  });
  expect(readFileSync(path, "utf8")).toMatch(/^these are not/);
});
