/** A DATABASE_URL that names servers of PostgreSQL: what is shown of it, and which one is used. */
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { messageOf } from "../../src/base.ts";
import { createStorage, databaseLocation, inspectStore } from "../../src/storage.ts";
import { startPostgres, type TestPostgres } from "../../src/storage/postgres.testing.ts";
import { openStore } from "./store-benches.testing.ts";
import { claimOf } from "./store-values.testing.ts";

/** Everything that an error says, as the log and the terminal may print it. */
function allOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message} ${JSON.stringify(error)} ${error.stack} ${allOf(error.cause)}`;
}

describe("no part of a password is shown", () => {
  test.each([
    ["several hosts", "postgres://me:pass-word@127.0.0.1:1,127.0.0.1:2/db"],
    ["one host", "postgres://me:pass-word@127.0.0.1:1/db"],
    ["a slash in the password", "postgres://me:1/pass-word@127.0.0.1:1/db"],
    ["a question mark in it", "postgres://me:1?pass-word@127.0.0.1:1/db"],
    ["a number sign in it", "postgres://me:1#pass-word@127.0.0.1:1/db"],
    ["an at sign and a slash in it", "postgres://me:a@1/pass-word@127.0.0.1:1/db"],
    ["a comma and a slash in it", "postgres://me:1,2/pass-word@127.0.0.1:1,127.0.0.1:2/db"],
    ["a port that is no number", "postgres://me:pass-word@127.0.0.1:one,127.0.0.1:2/db"],
    ["a host left out", "postgres://me:pass-word@127.0.0.1:1,/db"],
    ["a password in the query", "postgres://127.0.0.1:1,127.0.0.1:2/db?user=me&password=pass-word"],
    ["a broken percent sign", "postgres://me:pass-word%ff@127.0.0.1:1,127.0.0.1:2/db"],
    ["another database", "mysql://me:pass-word@127.0.0.1:1/db"],
    ["another spelling", "Postgres://me:pass-word@127.0.0.1:1/db"],
    [
      "a wish that cannot be met",
      "postgres://me:pass-word@127.0.0.1:1/db?target_session_attrs=standby",
    ],
  ])("%s", async (_, databaseUrl) => {
    expect(databaseLocation(databaseUrl)).not.toContain("pass-word");
    const errors = [
      await openStore(databaseUrl).catch((error: unknown) => error),
      await inspectStore(databaseUrl, 0).catch((error: unknown) => error),
    ];
    for (const error of errors) {
      expect(error).toMatchObject({ code: /^(configuration|storage_unavailable)$/ });
      expect(allOf(error)).not.toContain("pass-word");
    }
  });
});

test("servers are shown by host, port and database", () => {
  const locations = [
    "postgres://me:secret@db.internal:5432,[::1]:5433/farthing?target_session_attrs=primary",
    "postgresql://me:p@ss@db.internal/farthing",
    "postgres:///farthing?host=/run/postgresql",
    "sqlite:/var/lib/farthing.db",
  ].map(databaseLocation);
  expect(locations).toEqual([
    "PostgreSQL, db.internal:5432 or [::1]:5433/farthing",
    "PostgreSQL, db.internal/farthing",
    "PostgreSQL, /run/postgresql/farthing",
    "SQLite, /var/lib/farthing.db",
  ]);
});

test.each([
  ["postgres://h/db?target_session_attrs=standby", /the service writes: use target_session_attrs=/],
  ["postgres://h:1,h:2/db?port=3", /with several hosts, host and port do not stand in the query/],
  ["postgres:///db?host=h1,h2", /several hosts stand before the name of the database/],
  ["postgres://me:a/b@h/db", /cannot be read; percent-encode what is special in its user and pass/],
  [
    `postgres://${Array.from({ length: 9 }, (_, at) => `h${at}`).join(",")}/db`,
    /more than 8 hosts/,
  ],
])("%s is refused with what to change", (databaseUrl, says) => {
  expect(() => createStorage(databaseUrl, [], {})).toThrow(says);
});

async function ask(url: URL, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const both = (first: URL, second: URL, query: string) =>
  `postgres://farthing@${first.host},${second.host}${first.pathname}${query}`;

describe("a primary and its standby", () => {
  let server: TestPostgres;
  let primary: URL;
  let standby: URL;
  beforeAll(async () => {
    server = await startPostgres();
    if (!server.isOwn) return;
    await (await openStore(server.databaseUrl)).close();
    primary = new URL(server.databaseUrl);
    standby = new URL(await server.startStandby());
  });
  afterAll(() => server?.stop());

  test("the primary is used wherever it stands, and after a failover the standby that was promoted", async (context) => {
    // An external server has no standby of ours, and is not stopped.
    context.skip(!server.isOwn);
    const store = await openStore(both(standby, primary, "?target_session_attrs=read-write"));
    onTestFinished(() => store.close());
    const peer = await openStore(both(primary, standby, ""));
    onTestFinished(() => peer.close());
    const first = claimOf();
    expect(await store.claimSettlements([first], 1)).toMatchObject([{ kind: "created" }]);
    const isThere = async () =>
      expect(await ask(standby, `select from settlements where id = '${first.id}'`)).toHaveLength(
        1,
      );
    await vi.waitFor(isThere, { timeout: 60_000, interval: 20 });

    await server.halt();
    await expect(store.claimSettlements([claimOf()], 1)).rejects.toThrow("The database failed at");
    await ask(standby, "select pg_promote()");

    const second = claimOf();
    const claim = async () => store.claimSettlements([second], 1);
    await expect.poll(() => claim().catch(messageOf)).toMatchObject([{}]);
    expect(await ask(standby, `select from settlements where id = '${second.id}'`)).toHaveLength(1);
    // The other process hears of what happens on the new primary.
    const heard: string[] = [];
    peer.onChange(({ ids }) => heard.push(...ids));
    const tell = () => store.notify("sent", [second.id]).then(() => heard);
    await expect.poll(tell).toContain(second.id);
  });
});
