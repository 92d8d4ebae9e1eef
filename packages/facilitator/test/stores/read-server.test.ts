/** Lists come from the server of DATABASE_READ_URL while it is usable, and nothing else does. */
import { Client } from "pg";
import type { Address } from "@farthing/protocol";
import { startPostgres, type TestPostgres } from "@farthing/engine/source/storage/postgres.testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createStore, openStore } from "../../src/features/open-store.ts";
import { checkReadServer } from "../../src/operations/doctor-database.ts";
import { claimOf } from "./store-values.testing.ts";

const seller: Address = `0x${"33".repeat(20)}`;

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

async function openWith(databaseUrl: string, readUrl: string) {
  const lines: object[] = [];
  const note = (fields: object) => void lines.push(fields);
  const log = { debug: note, info: note, warn: note, error: note };
  const store = await openStore(databaseUrl, { readUrl, log });
  onTestFinished(() => store.close());
  await store.ensureAccount(seller, 1);
  return {
    store,
    lines,
    async claim() {
      const claim = claimOf({ account: seller });
      await store.claimSettlements([claim], Date.now());
      return claim.id;
    },
    async listed() {
      const { items } = await store.listAccountSettlements(seller, {}, { limit: 50 });
      return items.map(({ id }) => id);
    },
  };
}

test("a list is read from the standby, and a settlement by its id is not", async (context) => {
  // An external server has no standby of ours.
  const { startStandby } = server;
  if (!startStandby) {
    context.skip();
    return;
  }
  const databaseUrl = await server.createDatabase();
  await (await openStore(databaseUrl)).close();
  const standby = new URL(await startStandby());
  standby.pathname = new URL(databaseUrl).pathname;
  const client = new Client(standby.href);
  await client.connect();
  onTestFinished(() => client.end());
  const { store, lines, claim, listed } = await openWith(databaseUrl, standby.href);
  const first = await claim();
  // A standby that has replayed nothing yet counts as behind.
  const replayed = async () => (await client.query("select id from settlements")).rows;
  await expect.poll(replayed).toEqual([{ id: first }]);
  await expect.poll(listed).toEqual([first]);
  expect(await checkReadServer(standby.href)).toMatchObject([
    { status: "ok", name: "read server" },
  ]);
  await client.query("select pg_wal_replay_pause()");
  const pauseState = async () =>
    (await client.query("select pg_get_wal_replay_pause_state() as state")).rows[0];
  await expect.poll(pauseState).toEqual({ state: "paused" });
  const second = await claim();
  expect(await store.findSettlement(second)).toMatchObject({ id: second });
  expect(await listed()).toEqual([first]);
  await client.query("select pg_wal_replay_resume()");
  await expect.poll(listed).toEqual([second, first]);
  expect(lines).toEqual([]);
});

test("while the read server is gone, lists come from the first one, and the log says so once", async () => {
  const databaseUrl = await server.createDatabase();
  const gone = new URL(databaseUrl);
  gone.port = "9";
  const { lines, claim, listed } = await openWith(databaseUrl, gone.href);
  const id = await claim();
  expect([await listed(), await listed()]).toEqual([[id], [id]]);
  expect(lines).toEqual([
    { event: "read_server_left", problem: expect.stringMatching(/nothing listens/) },
  ]);
  const told = { status: "warn", text: expect.stringMatching(/nothing listens/) };
  expect(await checkReadServer(gone.href)).toMatchObject([told]);
});

test("beside a SQLite file it is refused, and a wrong one is named by its setting", () => {
  expect(() => createStore("sqlite::memory:", { readUrl: "postgres://h/db" })).toThrow(
    /DATABASE_READ_URL needs PostgreSQL/,
  );
  expect(() =>
    createStore("postgres://h/db", { readUrl: "postgres://me:pass/word@h:1/db" }),
  ).toThrow(/^DATABASE_READ_URL: /);
});
