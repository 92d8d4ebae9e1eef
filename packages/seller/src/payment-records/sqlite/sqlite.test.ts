/** Payment records in a SQLite file: the promises of every store, and what only a file can get wrong. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { writeMeanwhile } from "@farthing/protocol/testing/busy-file";
import { expect, onTestFinished, test } from "vitest";
import { closingSuite } from "../../exchange/closing.suite.ts";
import { balancesSuite } from "../balances/balances.suite.ts";
import { channelsSuite } from "../channels/channels.suite.ts";
import { passesSuite } from "../passes/passes.suite.ts";
import { refundsSuite } from "../rules/refunds.suite.ts";
import { paymentRecordsSuite, type StoreKind } from "../rules/payment-records.suite.ts";
import { createSeller } from "../../index.ts";
import { listenFetch } from "../../adapters/listen.testing.ts";
import { sellerSuite } from "../../seller.suite.ts";
import { createSqliteGrants, type SqliteGrants } from "./sqlite.ts";
import type { Access } from "../rules/payment-records.ts";

const access: Access = { proof: { token: "t" }, rule: "bound" };

/** The tables as the first version of the file had them. */
const firstVersion = `
create table grants (
  id integer primary key,
  key text not null unique,
  fingerprint text not null,
  payload text not null,
  valid_before_ms integer not null,
  state text not null check (state in ('claimed', 'settling', 'paid', 'delivered')),
  receipt text,
  answer_status integer,
  answer_headers text,
  answer_body blob,
  answer_until_ms integer not null default 0,
  expires_at_ms integer not null,
  holder text,
  held_until_ms integer not null default 0
) strict;
create index grants_by_end on grants (expires_at_ms);
create index grants_by_answer on grants (answer_until_ms) where answer_body is not null;
create index grants_delivered on grants (id) where state = 'delivered';
create table totals (entries integer not null, bytes integer not null) strict;
insert into totals values (0, 0);
create trigger grant_made after insert on grants begin
  update totals set entries = entries + 1;
end;
create trigger grant_gone after delete on grants begin
  update totals set entries = entries - 1, bytes = bytes - coalesce(length(old.answer_body), 0);
end;
create trigger answer_changed after update of answer_body on grants begin
  update totals set bytes =
    bytes + coalesce(length(new.answer_body), 0) - coalesce(length(old.answer_body), 0);
end;
pragma user_version = 1;
`;

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), "farthing-grants-"));
  return {
    path: join(folder, "grants.db"),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const sqlite: StoreKind = {
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
};

paymentRecordsSuite("sqlite", sqlite);
closingSuite("sqlite", sqlite);
passesSuite("sqlite", sqlite);
channelsSuite("sqlite", sqlite);
balancesSuite("sqlite", sqlite);
refundsSuite("sqlite", sqlite);

/** The promises of a seller hold on this store as they do in memory. */
sellerSuite("core on sqlite", async (options, route, app) => {
  const { path, remove } = await newFolder();
  const grants = createSqliteGrants({ path });
  const paid = createSeller({ grants, ...options }).route(route);
  const shop = await listenFetch((request) =>
    paid
      .charge(request, async (payment) => {
        const { body = "", ...head } = await app({ body: await request.text(), payment });
        return new Response(body, head);
      })
      .then(({ response }) => response),
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
  const acquired = await before.acquire(binding, access);
  if (acquired.kind === "acquired") await acquired.lease.complete(receipt);
  before.close();
  const after = createSqliteGrants({ path });
  expect(await after.acquire(binding, access)).toEqual({ kind: "delivered", receipt });
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
      const acquired = await grants.acquire(
        { key, fingerprint: "f", payload: "p", validBeforeMs: 1e12 },
        access,
      );
      if (acquired.kind !== "acquired") throw new Error(`The record is ${acquired.kind}.`);
      await acquired.lease.complete(receipt, { status: 200, headers: [], body: new Uint8Array(5) });
    }
  }
  grants.close();
  const database = new DatabaseSync(path, { readOnly: true });
  expect({ ...database.prepare("select * from totals").get() }).toEqual({ entries: 8, bytes: 40 });
  database.close();
});

test("a file of the first version is brought to this one, and its records go on", async () => {
  const { path, remove } = await newFolder();
  onTestFinished(remove);
  const old = new DatabaseSync(path);
  old.exec(firstVersion);
  const insert = old.prepare(
    `insert into grants (key, fingerprint, payload, valid_before_ms, state, receipt, answer_status,
       answer_headers, answer_body, answer_until_ms, expires_at_ms)
     values (?, 'f', 'p', 9e14, ?, ?, 200, '[]', x'00', 9e14, 9e14)`,
  );
  const receipt = { success: true, transaction: "0x1", network: "eip155:50" };
  for (const state of ["claimed", "settling", "delivered"]) {
    insert.run(state, state, state === "claimed" ? null : JSON.stringify(receipt));
  }
  old.close();
  const grants = createSqliteGrants({ path });
  onTestFinished(() => grants.close());
  const at = (key: string) =>
    grants.acquire({ key, fingerprint: "f", payload: "p", validBeforeMs: 9e14 }, access);
  // What had not been sent gets a name now; what may have been sent was sent without one.
  const [claimed, settling] = [await at("claimed"), await at("settling")];
  expect(claimed).toMatchObject({ lease: { state: "claimed", exchangeKey: expect.any(String) } });
  expect(settling).toMatchObject({ lease: { state: "settling", receipt } });
  expect(settling.kind === "acquired" && settling.lease.exchangeKey).toBeUndefined();
  // Nobody can prove that a kept answer is theirs.
  expect(await at("delivered")).toEqual({ kind: "delivered", receipt });
});

test("passes that an earlier version has sold count against the bound, each once", async () => {
  const { path, remove } = await newFolder();
  onTestFinished(remove);
  const sale = { scope: "reports", uses: 3, validForMs: 60_000, isFinalOnly: false };
  const payment = { payer: "0x1", amount: "1", network: "eip155:50", transaction: "0x2" };
  const sell = async (key: string, entriesMax: number) => {
    const store = createSqliteGrants({ path, entriesMax });
    const opened = await store.passes?.open(key, sale, payment);
    const isFull = await store.passes?.isFull();
    store.close();
    return [opened?.pass.usesLeft, isFull];
  };
  expect(await sell("a", 3)).toEqual([2, false]);
  const file = new DatabaseSync(path);
  file.exec("drop trigger pass_made; drop trigger pass_gone; drop table pass_total");
  file.close();
  expect(await sell("b", 3)).toEqual([2, false]);
  // Opened again for a new token.
  expect(await sell("b", 3)).toEqual([2, false]);
  expect(await sell("c", 3)).toEqual([2, true]);
});

test("a file of something else is left alone", async () => {
  const { path, remove } = await newFolder();
  onTestFinished(remove);
  const other = new DatabaseSync(path);
  other.exec("create table orders (id integer)");
  other.close();
  expect(() => createSqliteGrants({ path })).toThrow(/is not a file of grants of this version/);
});

test("a new file that another process sets up at that moment is opened", async () => {
  const { path, remove } = await newFolder();
  onTestFinished(remove);
  await writeMeanwhile(path);
  const grants = createSqliteGrants({ path });
  onTestFinished(() => grants.close());
  const claimed = { key: "k", fingerprint: "f", payload: "p", validBeforeMs: 9e14 };
  expect(await grants.acquire(claimed, access)).toMatchObject({ kind: "acquired" });
});
