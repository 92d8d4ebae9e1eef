/**
 * The store's suites on PostgreSQL, on a real server, and what only it promises: processes that
 * work at the same moment, news between them, and a database that goes away and comes back.
 */
import { inspect } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Change } from "../../src/storage/changes.ts";
import { startPostgres, type TestPostgres } from "../../src/storage/postgres.testing.ts";
import { postgresLimits } from "../../src/storage/postgres/open-postgres.ts";
import { startSilentWire } from "../../src/storage/silent-wire.testing.ts";
import type { StorageOptions } from "../../src/storage.ts";
import { contractPayersSuite } from "./contract-payers.suite.ts";
import { lateNewsSuite } from "./late-news.suite.ts";
import { recoveredSuite } from "./recovered.suite.ts";
import { refundsSuite } from "./refunds.suite.ts";
import { revertedGasSuite } from "./reverted-gas.suite.ts";
import { severalProcessesSuite } from "./several-processes.suite.ts";
import {
  chainId,
  claimOf,
  held,
  hex32,
  idOf,
  lane,
  minedIn,
  planOf,
  take,
  type TestStore,
} from "./store-values.testing.ts";
import { openStore, postgresStarter } from "./store-benches.testing.ts";
import { storeSuite } from "./store.suite.ts";
import { transactionsSuite } from "./transactions.suite.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
});

const start = postgresStarter(() => server);

/** An empty database, emptied again after the test. */
async function emptyDatabase(): Promise<string> {
  const { databaseUrl, stop } = await start();
  onTestFinished(stop);
  return databaseUrl;
}

/** Opens stores, closed with the test. */
async function open(count: number, url: string, options?: StorageOptions): Promise<TestStore[]> {
  const stores = await Promise.all(Array.from({ length: count }, () => openStore(url, options)));
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()));
  });
  return stores;
}

async function openOne(url: string, options?: StorageOptions): Promise<TestStore> {
  const [store] = await open(1, url, options);
  if (!store) throw new Error("one is opened");
  return store;
}

async function openTwo(): Promise<[TestStore, TestStore]> {
  const databaseUrl = await emptyDatabase();
  return [await openOne(databaseUrl), await openOne(databaseUrl)];
}

describe("PostgreSQL", () => {
  describe("one process", () => storeSuite(start));
  describe("several processes", () => severalProcessesSuite(start));
  describe("late news", () => lateNewsSuite(start));
  describe("contract payers", () => contractPayersSuite(start));
  describe("reverted gas", () => revertedGasSuite(start));
  describe("refunds", () => refundsSuite(start));
  describe("what was lost", () => recoveredSuite(start));
  describe("transactions", () => transactionsSuite(start));
  describe("at the same moment", concurrencyTests);
  describe("news", newsTests);
  describe("a database that fails", failureTests);
});

function concurrencyTests(): void {
  test("ten processes that start on an empty database make its tables once", async () => {
    const stores = await open(10, await server.createDatabase());
    await Promise.all(stores.map((store) => store.ping()));
  });

  test("the same payments claimed by eight in any order: one each, no deadlock", async () => {
    const databaseUrl = await server.createDatabase();
    const stores = await open(8, databaseUrl);
    for (let round = 0; round < 5; round++) {
      const nonces = Array.from({ length: 200 }, () => claimOf().nonce);
      const results = await Promise.all(
        stores.map((store, index) => {
          const order = index % 2 === 0 ? nonces : nonces.toReversed();
          return store.claimSettlements(
            order.map((nonce) => claimOf({ nonce })),
            1,
          );
        }),
      );
      expect(results.flat().filter(({ kind }) => kind === "created")).toHaveLength(200);
      expect(new Set(results.flat().map(idOf)).size).toBe(200);
    }
    expect(await deadlocksIn(databaseUrl, stores)).toBe(0);
  });

  test("the same settlements confirmed by eight in any order: once each, no deadlock", async () => {
    const databaseUrl = await server.createDatabase();
    const stores = await open(8, databaseUrl);
    for (let round = 0; round < 5; round++) {
      const claims = Array.from({ length: 200 }, () => claimOf());
      await stores[0]?.claimSettlements(claims, 1);
      const moved = await Promise.all(
        stores.map((store, index) => {
          const order = index % 2 === 0 ? claims : claims.toReversed();
          return store.recordConfirmed(
            order.map(({ id }) => ({ id, mined: minedIn(5) })),
            2,
          );
        }),
      );
      expect(moved.flat()).toHaveLength(200);
      expect(new Set(moved.flat().map(({ id }) => id)).size).toBe(200);
    }
    expect(await deadlocksIn(databaseUrl, stores)).toBe(0);
  });

  test("one settlement planned by four wallets at once is carried by one", async () => {
    const stores = await open(4, await emptyDatabase());
    const leases = await Promise.all(
      stores.map((store, index) => held(store, `${index}`, `0x${`0${index}`.repeat(20)}`)),
    );
    for (let round = 0; round < 10; round++) {
      const claim = claimOf();
      await stores[0]?.claimSettlements([claim], 1);
      const taken = await Promise.all(
        stores.map((store, index) => {
          const lease = leases[index];
          if (!lease) throw new Error("every process has a wallet");
          return store.reserveTransactions(lease, [planOf(claim.id)], 1);
        }),
      );
      expect(taken.flat()).toHaveLength(1);
    }
  });

  test("a lease runs by the database's clock, whatever the processes' own say", async () => {
    const [one, other] = await openTwo();
    const first = await take(one, "one", { now: 0 });
    const late = 4_000_000_000_000;
    expect(await take(other, "other", { now: late })).toBeUndefined();
    expect(await other.findWalletHolders(chainId, [lane], late)).toMatchObject([
      { owner: "one", isRunning: true },
    ]);
    if (first) expect(await one.reserveTransactions(first, [], late)).toEqual([]);
    if (first)
      expect(await one.renewWalletLease(first, "one", { leaseMs: 1, now: late })).toBe(true);
    await vi.waitFor(async () => expect(await take(other, "other")).toBeDefined(), soon);
  });
}

/** How often two transactions blocked each other; connections say so when they end. */
async function deadlocksIn(databaseUrl: string, stores: readonly TestStore[]): Promise<number> {
  await Promise.all(stores.map((store) => store.close()));
  const client = await connectTo(databaseUrl);
  const { rows } = await client.query(
    "select deadlocks from pg_stat_database where datname = current_database()",
  );
  return Number(rows[0].deadlocks);
}

/** What takes milliseconds must have happened by then. */
const soon = { timeout: 60_000, interval: 10 };

async function connectTo(databaseUrl: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** What a process hears. */
function hearing(store: TestStore): Change[] {
  const heard: Change[] = [];
  const end = store.onChange((change) => heard.push(change));
  onTestFinished(end);
  return heard;
}

function newsTests(): void {
  test("of every verb reaches the other process and not the one that did it", async () => {
    const [one, other] = await openTwo();
    const [own, heard] = [hearing(one), hearing(other)];
    const [claim, failing] = [claimOf(), claimOf()];
    const lease = await held(one);
    await one.claimSettlements([claim, failing], 1);
    const [taken] = await one.reserveTransactions(lease, [planOf(claim.id)], 1);
    const signed = [{ id: taken?.id ?? 0, raw: hex32(1), hash: hex32(1) }];
    await one.recordSigned(lease, signed, 1);
    await one.notify("sent", [claim.id]);
    await one.notify("unserved", [claim.id]);
    await one.closeTransactions(taken ? [taken] : [], "dropped");
    await one.requeueSettlements([claim.id], 4, 0);
    await one.recordConfirmed([{ id: claim.id, mined: minedIn(9) }], 1);
    await one.recordReorganised(chainId, 9, 1);
    await one.recordConfirmed([{ id: claim.id, mined: minedIn(9) }], 1);
    await one.recordFinalized(chainId, 9, 1);
    const failure = { id: failing.id, code: "token_paused" as const, message: "m" };
    await one.recordFailed([{ ...failure, transaction: null }], 1);
    await vi.waitFor(() => expect(heard.at(-1)?.ids).toEqual([failing.id]), soon);
    const kinds = heard.map(({ kind }) => kind);
    const moved = Array.from({ length: 6 }, () => "changed");
    expect(kinds).toEqual(["queued", "changed", "sent", "unserved", ...moved]);
    expect(new Set(heard[0]?.ids)).toEqual(new Set([claim.id, failing.id]));
    expect(new Set(heard.slice(1, -1).flatMap(({ ids }) => ids))).toEqual(new Set([claim.id]));
    expect(own).toEqual([]);
  });

  test("of a thousand arrives whole", async () => {
    const [one, other] = await openTwo();
    const heard = hearing(other);
    const claims = Array.from({ length: 1_000 }, (_, index) =>
      claimOf({ id: `stl_${String(index).padStart(32, "0")}` }),
    );
    await one.claimSettlements(claims, 1);
    const ids = claims.map(({ id }) => id);
    await vi.waitFor(() => {
      expect(new Set(heard.flatMap((change) => change.ids))).toEqual(new Set(ids));
    }, soon);
  });

  test("is told of nothing that did not happen", async () => {
    const [one, other] = await openTwo();
    const heard = hearing(other);
    const claim = claimOf();
    await one.claimSettlements([claim], 1);
    await one.claimSettlements([claim], 1);
    await one.recordFinalized(chainId, 100, 1);
    await one.recordReorganised(chainId, 1, 1);
    await one.notify("sent", []);
    const lease = await held(one);
    await take(other, "two", { stoppedOwner: "one" });
    await expect(one.recordSigned(lease, [], 1)).rejects.toMatchObject({ code: "lease_lost" });
    await one.notify("sent", ["stl_last"]);
    await vi.waitFor(() => expect(heard.at(-1)?.kind).toBe("sent"), soon);
    expect(heard).toEqual([
      { kind: "queued", ids: [claim.id] },
      { kind: "sent", ids: ["stl_last"] },
    ]);
  });

  test("is over when the listener says so", async () => {
    const [one, other] = await openTwo();
    const ended: Change[] = [];
    other.onChange((change) => ended.push(change))();
    const heard = hearing(other);
    await one.notify("sent", ["stl_1"]);
    await vi.waitFor(() => expect(heard).toHaveLength(1), soon);
    expect(ended).toEqual([]);
  });
}

function failureTests(): void {
  test("a wrong URL is a fault of the configuration that does not repeat it", async () => {
    const problem = await openStore("postgres://me:se cret@ho st/db").catch(
      (error: unknown) => error,
    );
    expect(problem).toMatchObject({ code: "configuration" });
    expect(inspect(problem)).not.toContain("cret");
    await expect(openStore("mysql://host/db")).rejects.toMatchObject({ code: "configuration" });
  });

  test("one that is not there is a fault", async () => {
    await expect(openStore("postgres://127.0.0.1:1/db")).rejects.toMatchObject({
      code: "storage_unavailable",
    });
  });

  test("restarted under load: faults, then everything works again", async ({ skip }) => {
    if (!server.isOwn) skip("the server is not ours to restart");
    const [one, other] = await openTwo();
    const heard = hearing(other);
    // An idle connection, whose loss nobody asked about.
    await other.ping();
    const kept = claimOf();
    await one.claimSettlements([kept], 1);
    const lease = await held(one);
    const busy = Array.from({ length: 40 }, () => one.claimSettlements([claimOf()], 1));
    const settled = Promise.allSettled(busy);

    await server.halt();

    for (const result of await settled) {
      if (result.status === "rejected") {
        expect(result.reason).toMatchObject({ code: "storage_unavailable", retryable: true });
      }
    }
    await expect(one.ping()).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(one.claimSettlements([claimOf()], 1)).rejects.toMatchObject({
      code: "storage_unavailable",
    });

    await server.resume();

    await vi.waitFor(() => one.ping(), soon);
    expect(await one.findSettlement(kept.id)).toMatchObject({ state: "queued" });
    expect(await one.reserveTransactions(lease, [planOf(kept.id)], 1)).toHaveLength(1);
    // What was said meanwhile is lost: look for yourself.
    await vi.waitFor(() => expect(heard).toContainEqual({ kind: "changed", ids: [] }), soon);
    // A statement may be there before the listening connection, so the first words may be missed.
    const tell = () => one.notify("sent", [kept.id]).then(() => heard);
    await expect.poll(tell, { timeout: 60_000 }).toContainEqual({ kind: "sent", ids: [kept.id] });
  });

  test("that no longer answers is a fault in time, and is used again when it does", async () => {
    const databaseUrl = await emptyDatabase();
    const wire = await startSilentWire(databaseUrl);
    onTestFinished(wire.stop);
    const limits = { ...postgresLimits, connectMs: 300, answerMs: 300, heartbeatMs: 100 };
    const store = await openOne(wire.databaseUrl, { limits });
    const other = await openOne(databaseUrl);
    const heard = hearing(store);
    await store.ping();

    wire.hush(true);

    await expect(store.ping()).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(store.claimSettlements([claimOf()], 1)).rejects.toMatchObject({
      code: "storage_unavailable",
    });

    wire.hush(false);

    await vi.waitFor(() => store.ping(), soon);
    const claim = claimOf();
    await store.claimSettlements([claim], 1);
    await vi.waitFor(() => expect(heard).toContainEqual({ kind: "changed", ids: [] }), soon);
    const tell = () => other.notify("sent", [claim.id]).then(() => heard);
    await expect.poll(tell, { timeout: 60_000 }).toContainEqual({ kind: "sent", ids: [claim.id] });
  });
}
