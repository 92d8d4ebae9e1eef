/** What PostgreSQL knows of a process that ended without a word: its leases need not run out. */
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { startPostgres, type TestPostgres } from "../../src/storage/postgres.testing.ts";
import { openStore } from "./store-benches.testing.ts";
import { chainId, held, lane, otherLane, type TestStore } from "./store-values.testing.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
});

const soon = { timeout: 60_000 };
const atOnce = { toMs: 0, now: 0 };

async function open(databaseUrl: string): Promise<TestStore> {
  const store = await openStore(databaseUrl);
  onTestFinished(() => store.close());
  return store;
}

/** Which of the two wallets' leases run, after those of the lost were cut short. */
async function runningBy(observer: TestStore): Promise<(boolean | undefined)[]> {
  await observer.shortenLostLeases(chainId, atOnce);
  const holders = await observer.findWalletHolders(chainId, [lane, otherLane], 0);
  return holders.map((holder) => holder?.isRunning);
}

test("the wallets of a process that is gone are soon free, those of the others stay", async () => {
  const databaseUrl = await server.createDatabase();
  const [observer, here, gone] = [
    await open(databaseUrl),
    await open(databaseUrl),
    await openStore(databaseUrl),
  ];
  await here.registerOwner("host/1/here");
  await gone.registerOwner("host/2/gone");
  await held(here, "host/1/here", lane);
  await held(gone, "host/2/gone", otherLane);
  expect(await runningBy(observer)).toEqual([true, true]);
  await gone.close();
  await vi.waitFor(async () => expect(await runningBy(observer)).toEqual([true, false]), soon);
});

test("who is gone has the time it is given, and keeps the wallet when it comes back in it", async () => {
  const databaseUrl = await server.createDatabase();
  const [observer, late] = [await open(databaseUrl), await open(databaseUrl)];
  const lease = await held(late, "host/1/late", lane);
  await observer.shortenLostLeases(chainId, { toMs: 60_000, now: 0 });
  expect(await observer.findWalletHolders(chainId, [lane], 0)).toMatchObject([{ isRunning: true }]);
  await observer.shortenLostLeases(chainId, atOnce);
  expect(await late.renewWalletLease(lease, "host/1/late", { leaseMs: 60_000, now: 0 })).toBe(true);
  await late.registerOwner("host/1/late");
  expect(await runningBy(observer)).toEqual([true, undefined]);
});

test("who lost its connections is seen again with the next ones", async () => {
  const databaseUrl = await server.createDatabase();
  const [observer, shaken] = [await open(databaseUrl), await open(databaseUrl)];
  await shaken.registerOwner("host/1/shaken");
  const lease = await held(shaken, "host/1/shaken", lane);
  const client = new Client(databaseUrl);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()",
  );
  await vi.waitFor(async () => {
    expect(await shaken.renewWalletLease(lease, "host/1/shaken", { leaseMs: 60_000, now: 0 })).toBe(
      true,
    );
    expect(await runningBy(observer)).toEqual([true, undefined]);
  }, soon);
});
