/**
 * PgBouncer, as it is after its installation, between the service and PostgreSQL: session mode
 * works, and transaction mode is refused with the reason, since processes would not hear each other.
 */
import { messageOf, systemClock } from "@farthing/engine/base";
import { startPostgres, type TestPostgres } from "@farthing/engine/testing";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../src/features/open-store.ts";
import { checkDatabase } from "../../src/operations/doctor-database.ts";
import { findPgBouncer } from "../support/find-pgbouncer.testing.ts";
import { startPgBouncer } from "../support/pgbouncer.testing.ts";
import { claimOf } from "./store-values.testing.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
  await (await openStore(postgres.databaseUrl)).close();
});
afterAll(() => postgres?.stop());

/** The doctor's lines of the database, as `name: status text`. */
async function doctorLines(databaseUrl: string): Promise<string[]> {
  const { lines } = await checkDatabase(databaseUrl, systemClock, []);
  return lines.map(({ name, status, text, fix }) => `${name}: ${status} ${text}; ${fix}`);
}

async function askOnce(databaseUrl: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

test("without a pooler: the doctor names the server, and processes hear each other", async () => {
  const { host } = new URL(postgres.databaseUrl);
  const lines = await doctorLines(postgres.databaseUrl);
  expect(lines).toContainEqual(`server: ok ${host}, a primary; `);
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^news: ok .* needs a pool of 14 connections for each process \(26 for two\)/,
    ),
  );
  expect(lines).toContainEqual("writes: ok the database accepts them; ");
});

test("what the database says to an unknown wish stands in the refusal of the start", async () => {
  const databaseUrl = `${postgres.databaseUrl}?options=-c%20no_such_setting%3D1`;
  const { host, pathname } = new URL(databaseUrl);
  const said = await openStore(databaseUrl).then(() => "it opened", messageOf);
  expect(said).toContain(`The database cannot be used (PostgreSQL, ${host}${pathname}): `);
  expect(said).toContain('unrecognized configuration parameter "no_such_setting"');
  expect(await doctorLines(databaseUrl)).toEqual([
    expect.stringContaining('unrecognized configuration parameter "no_such_setting"'),
  ]);
});

test("and so does what it says to a migration", async () => {
  const databaseUrl = await postgres.createDatabase();
  await askOnce(databaseUrl, "create table settlements (of_another_program integer)");
  const said = await openStore(databaseUrl).then(() => "it opened", messageOf);
  expect(said).toContain('this version\'s schema: relation "settlements" already exists');
});

describe.skipIf(findPgBouncer() === undefined)("PgBouncer", () => {
  test("in session mode the service works, and processes hear each other", async () => {
    const pooler = await startPgBouncer(postgres.databaseUrl, "session");
    onTestFinished(pooler.stop);
    const one = await openStore(pooler.databaseUrl);
    onTestFinished(() => one.close());
    const other = await openStore(pooler.databaseUrl);
    onTestFinished(() => other.close());
    const heard: string[] = [];
    other.onChange(({ ids }) => heard.push(...ids));
    const claim = claimOf();
    expect(await one.claimSettlements([claim], 1)).toMatchObject([{ kind: "created" }]);
    await vi.waitFor(() => expect(heard).toContain(claim.id), { timeout: 60_000, interval: 20 });
    const lines = await doctorLines(pooler.databaseUrl);
    expect(lines.map((line) => line.split(" ", 2).join(" "))).toEqual([
      "reachable: ok",
      "schema: ok",
      "size: ok",
      "server: ok",
      "news: ok",
      "writes: ok",
    ]);
  });

  test("in transaction mode the start is refused and the doctor warns, and nothing is left in its sessions", async () => {
    const pooler = await startPgBouncer(postgres.databaseUrl, "transaction");
    onTestFinished(pooler.stop);
    const limits = () =>
      askOnce(pooler.databaseUrl, "select current_setting('statement_timeout') as ms");
    const before = await limits();
    const said = await openStore(pooler.databaseUrl).then(() => "it opened", messageOf);
    expect(said).toMatch(/^The database cannot be used \(PostgreSQL, 127\.0\.0\.1:\d+\/farthing/);
    expect(said).toMatch(
      /LISTEN and NOTIFY do not work .* PgBouncer in transaction mode; set pool_mode = session/,
    );
    expect(await limits()).toEqual(before);
    expect(await doctorLines(pooler.databaseUrl)).toContainEqual(
      expect.stringMatching(
        /^news: fail LISTEN and NOTIFY do not work .*; set pool_mode = session, with a pool of 14/,
      ),
    );
  });

  test("what PgBouncer says to an unknown user stands in the refusal of the start", async () => {
    const pooler = await startPgBouncer(postgres.databaseUrl, "session");
    onTestFinished(pooler.stop);
    const url = Object.assign(new URL(pooler.databaseUrl), {
      username: "nobody",
      password: "pass-word",
    });
    const said = await openStore(url.href).then(() => "it opened", messageOf);
    expect(said).toMatch(
      /^The database cannot be used \(PostgreSQL, .*\): it reports: .*(no such user|failed); check DATABASE_URL/,
    );
    expect(said).not.toContain("pass-word");
  });
});
