/** Payment records in a real PostgreSQL: the promises of every store, and what only it can get wrong. */
import { Pool } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startPostgres, type TestPostgres } from "@farthing/engine/testing";
import { closingSuite } from "../../exchange/closing.suite.ts";
import { balancesSuite } from "../balances/balances.suite.ts";
import { channelsSuite } from "../channels/channels.suite.ts";
import { passesSuite } from "../passes/passes.suite.ts";
import {
  binding,
  buyer,
  dayMs,
  leaseOf,
  receipt,
  response,
} from "../rules/payment-records.testing.ts";
import { refundsSuite } from "../rules/refunds.suite.ts";
import { paymentRecordsSuite, type StoreKind } from "../rules/payment-records.suite.ts";
import { transit } from "../rules/transit.ts";
import { createPostgresGrants } from "./postgres.ts";
import { PostgresStore } from "./record-store.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const connect = (databaseUrl = server.databaseUrl) => {
  const pool = new Pool({ connectionString: databaseUrl, max: 4 });
  // The server ends before the pool of a test that failed.
  pool.on("error", () => undefined);
  return pool;
};

const postgres: StoreKind = {
  isShared: true,
  isBounded: false,
  async open() {
    const client = connect();
    await client.query(
      "drop table if exists farthing_grants, farthing_tokens, farthing_passes, farthing_kept",
    );
    await client.query(
      "drop table if exists farthing_balances, farthing_balance_entries, farthing_channels",
    );
    return {
      create: ({ now, answerBytesMax, leaseMs }) =>
        createPostgresGrants({
          client,
          now,
          ...(answerBytesMax === undefined ? {} : { answerBytesMax }),
          ...(leaseMs === undefined ? {} : { leaseMs }),
        }),
      close: () => client.end(),
    };
  },
};

paymentRecordsSuite("postgres", postgres);
closingSuite("postgres", postgres);
passesSuite("postgres", postgres);
balancesSuite("postgres", postgres);
channelsSuite("postgres", postgres);
refundsSuite("postgres", postgres);

test("a transition that may not start from a state changes nothing", async () => {
  const client = connect(await server.createDatabase());
  onTestFinished(() => client.end());
  const store = new PostgresStore({ client, tokensMax: 1 });
  const lock = { holder: "h", until: { inMs: dayMs } };
  const bound = { binding: binding("a"), opener: {}, exchangeKey: "k" };
  await store.insert({ ...bound, lock, expires: { inMs: dayMs } });
  await transit(store, "a", "complete", { holder: "h" }, { receipt, lock: null });
  for (const name of ["acquire", "settle", "pay", "discard", "unlock"] as const) {
    expect((await transit(store, "a", name, {}, { lock: null })).kind).toBe("stale");
  }
  expect(await store.get("a")).toMatchObject({ state: "delivered", receipt });
});

test("processes that start at once make the tables once, and a restart finds everything", async () => {
  const databaseUrl = await server.createDatabase();
  const pools = Array.from({ length: 8 }, () => connect(databaseUrl));
  onTestFinished(async () => {
    for (const pool of pools) await pool.end();
  });
  const kinds = await Promise.all(
    pools.map(async (client, nth) => {
      const grants = createPostgresGrants({ client });
      return (await grants.acquire(binding(`${nth}`), buyer)).kind;
    }),
  );
  expect(new Set(kinds)).toEqual(new Set(["acquired"]));
  const [one, other] = pools.map((client) => createPostgresGrants({ client }));
  if (!one || !other) throw new Error("A pool is missing.");
  // By the clock of PostgreSQL, a response is not kept after the end of its authorization.
  const paid = binding("a", { validBeforeMs: 253_402_300_799_000 });
  const lease = await leaseOf(one, paid);
  await lease.settling({ response: response(3) });
  await lease.complete(receipt);
  expect(await other.acquire(paid, buyer)).toEqual({
    kind: "delivered",
    receipt,
    response: response(3),
  });
});

test("what has ended is cleared away", async () => {
  const client = connect(await server.createDatabase());
  onTestFinished(() => client.end());
  let nowMs = 0;
  const grants = createPostgresGrants({ client, now: () => nowMs, tokensMax: 3 });
  for (const round of [0, 1]) {
    nowMs = round * 100_000_000;
    for (let at = 0; at < 8; at++) {
      const lease = await leaseOf(grants, binding(`${round}/${at}`));
      await lease.complete(receipt, response(5));
      await grants.isTokenShared(`${round}/${at}`, "payer");
    }
  }
  const counted = "(select count(*)::int from farthing_grants) as grants";
  const tokens = "(select count(*)::int from farthing_tokens) as tokens";
  const { rows } = await client.query(`select ${counted}, ${tokens}`);
  expect(rows).toEqual([{ grants: 8, tokens: 3 }]);
  expect(await grants.isTokenShared("1/7", "other")).toBe(true);
  expect(await grants.isTokenShared("1/0", "other")).toBe(false);
});

test("a database that cannot be reached at first is asked again", async () => {
  const client = connect(await server.createDatabase());
  onTestFinished(() => client.end());
  let isDown = true;
  const query = (text: string, values?: unknown[]) =>
    isDown ? Promise.reject(new Error("refused")) : client.query(text, values);
  const grants = createPostgresGrants({ client: { query } });
  await expect(grants.acquire(binding("a"), buyer)).rejects.toThrow("refused");
  isDown = false;
  expect((await grants.acquire(binding("a"), buyer)).kind).toBe("acquired");
});

test("tables of an earlier version get the facilitator of a payment", async () => {
  const client = connect(await server.createDatabase());
  onTestFinished(() => client.end());
  await (await leaseOf(createPostgresGrants({ client }), binding("a"))).settling();
  await client.query("alter table farthing_grants drop column facilitator");
  await client.query("update farthing_grants set held_until_ms = 0");
  const lease = await leaseOf(createPostgresGrants({ client }), binding("a"));
  expect([lease.state, lease.facilitator]).toEqual(["settling", undefined]);
  expect(await lease.settling({ facilitator: "https://one.example" })).toBe(true);
});
