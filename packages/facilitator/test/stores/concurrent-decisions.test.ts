/** Decisions of the service while several processes work on one PostgreSQL database. */
import { startPostgres, type TestPostgres } from "@farthing/engine/testing";
import type { Change } from "@farthing/engine/source/storage/changes";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { ServiceStore } from "../../src/features/open-store.ts";
import { bringPurchase } from "./purchase-values.testing.ts";
import { postgresStarter } from "./store-benches.testing.ts";
import { claimOf, lane, type StoreBench } from "./store-values.testing.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
});

const start = postgresStarter(() => server);

/** What takes milliseconds must have happened by then. */
const soon = { timeout: 60_000, interval: 10 };

/** An empty database, emptied again after the test. */
async function startBench(): Promise<StoreBench> {
  const bench = await start();
  onTestFinished(bench.stop);
  return bench;
}

/** Opens a store, closed with the test. */
async function openOn(bench: StoreBench): Promise<ServiceStore> {
  const store = await bench.open();
  onTestFinished(() => store.close());
  return store;
}

async function connectTo(databaseUrl: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test("a cap holds against eight, and a duplicate of what fills it is not refused", async () => {
  const bench = await startBench();
  const stores = await Promise.all(Array.from({ length: 8 }, () => openOn(bench)));
  const payerCap = { units: 100n, windowMs: 1_000 };
  const duplicates = Array.from({ length: 12 }, () => claimOf({ payerCap }));
  const results = await Promise.all(
    stores.map((store) =>
      store.claimSettlements(
        duplicates.map((duplicate) => ({ ...claimOf({ payerCap }), nonce: duplicate.nonce })),
        1,
      ),
    ),
  );
  const flat = results.flat();
  expect(flat.filter(({ kind }) => kind === "created")).toHaveLength(10);
  expect(flat.filter(({ kind }) => kind === "existing")).toHaveLength(70);
  expect(flat.filter(({ kind }) => kind === "refused")).toHaveLength(16);
});

test("a key that is being revoked is waited for, and then claims nothing", async () => {
  const bench = await startBench();
  const store = await openOn(bench);
  const key = { id: "k", account: lane, mode: "test" as const, label: "", hash: "00" };
  const rest = {
    lastFour: "",
    createdAt: 1,
    createdBy: null,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
  };
  await store.createApiKey({ ...key, ...rest });
  const operator = await connectTo(bench.databaseUrl);
  await operator.query("begin");
  await operator.query("update api_keys set revoked_at = 2");
  const claiming = store.claimSettlements([claimOf({ keyId: "k" })], 3);
  await vi.waitFor(async () => {
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
    expect((await operator.query(waiting)).rowCount).toBe(1);
  }, soon);
  await operator.query("commit");
  expect(await claiming).toEqual([{ kind: "refused", reason: "key_not_valid" }]);
});

test("the decision of an operator on a purchase reaches the request that waits for it", async () => {
  const bench = await startBench();
  const [one, other] = [await openOn(bench), await openOn(bench)];
  await one.ensureAccount(`0x${"33".repeat(20)}`, 1);
  const id = await bringPurchase(one, "held");
  const heard: Change[] = [];
  onTestFinished(other.onChange((change) => heard.push(change)));
  const decision = { to: "credited", reviewer: "op", reviewNote: "known" } as const;
  await one.movePurchase(id, "held", decision, 3_000);
  await vi.waitFor(() => expect(heard).toContainEqual({ kind: "sent", ids: [id] }), soon);
});
