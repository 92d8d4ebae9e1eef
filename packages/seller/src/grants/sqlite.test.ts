/** Grants in a SQLite file: the promises of every store, and what only a file can get wrong. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { grantSuite } from "./grants.suite.ts";
import { createSeller } from "../index.ts";
import { listenFetch } from "../adapters/listen.testing.ts";
import { sellerSuite } from "../seller.suite.ts";
import { createSqliteGrants, type SqliteGrants } from "./sqlite.ts";

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), "farthing-grants-"));
  return {
    path: join(folder, "grants.db"),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

grantSuite("sqlite", {
  isShared: true,
  isBounded: true,
  async open() {
    const { path, remove } = await newFolder();
    const opened: SqliteGrants[] = [];
    return {
      create(options) {
        const store = createSqliteGrants({ path, ...options });
        opened.push(store);
        return store;
      },
      async close() {
        for (const store of opened) store.close();
        await remove();
      },
    };
  },
});

/** The promises of a seller hold on this store as they do in memory. */
sellerSuite("core on sqlite", async (options, route, app) => {
  const { path, remove } = await newFolder();
  const grants = createSqliteGrants({ path });
  const paid = createSeller({ grants, ...options }).route(route);
  const shop = await listenFetch((request) =>
    paid.charge(request, async (payment) => {
      const { body = "", ...head } = await app({ body: await request.text(), payment });
      return new Response(body, head);
    }),
  );
  return {
    url: shop.url,
    async close() {
      await shop.close();
      grants.close();
      await remove();
    },
  };
});

test("a restart finds everything again", async () => {
  const { path, remove } = await newFolder();
  onTestFinished(remove);
  const binding = { key: "a", fingerprint: "f", payload: "p", validBeforeMs: Date.now() + 60_000 };
  const receipt = { success: true, transaction: "0x1", network: "eip155:50" };
  const before = createSqliteGrants({ path });
  const take = await before.take(binding);
  if (take.kind === "taken") await take.lease.deliver(receipt);
  before.close();
  const after = createSqliteGrants({ path });
  expect(await after.take(binding)).toEqual({ kind: "delivered", receipt });
  after.close();
});

test("what has ended is cleared away, and the totals with it", async () => {
  const { path, remove } = await newFolder();
  onTestFinished(remove);
  let nowMs = 0;
  const grants = createSqliteGrants({ path, now: () => nowMs });
  const receipt = { success: true, transaction: "0x1", network: "eip155:50" };
  for (const round of [0, 1]) {
    nowMs = round * 100_000_000;
    for (let at = 0; at < 8; at++) {
      const key = `${round}/${at}`;
      const take = await grants.take({ key, fingerprint: "f", payload: "p", validBeforeMs: 1e12 });
      if (take.kind !== "taken") throw new Error(`The grant is ${take.kind}.`);
      await take.lease.deliver(receipt, { status: 200, headers: [], body: new Uint8Array(5) });
    }
  }
  grants.close();
  const database = new DatabaseSync(path, { readOnly: true });
  expect({ ...database.prepare("select * from totals").get() }).toEqual({ entries: 8, bytes: 40 });
  database.close();
});

test("a file of something else is left alone", async () => {
  const { path, remove } = await newFolder();
  onTestFinished(remove);
  const other = new DatabaseSync(path);
  other.exec("create table orders (id integer)");
  other.close();
  expect(() => createSqliteGrants({ path })).toThrow(/is not a file of grants of this version/);
});
