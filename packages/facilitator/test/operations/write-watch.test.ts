/** A database that answers reads and takes no writes: the service says that it is not ready. */
import { startPostgres } from "@farthing/engine/testing";
import type { Devnet } from "@farthing/devnet";
import { systemClock } from "@farthing/engine/base";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  environmentOn,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { examine } from "../../src/operations/doctor.ts";

let devnet: Devnet;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let databaseUrl: string;
let served: Served;
beforeAll(async () => {
  devnet = await startChain({ buyers: 2, relayers: 2 });
  postgres = await startPostgres();
  databaseUrl = await postgres.createDatabase();
  await ask(databaseUrl, `alter database "${nameOf(databaseUrl)}" set synchronous_commit = on`);
  served = await serveOn(devnet, { databaseUrl, env: { FARTHING_METRICS_PORT: "0" } });
});
afterAll(async () => {
  await setReadOnly(false).catch(() => undefined);
  await served?.stop();
  await postgres?.stop();
  await devnet?.stop();
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** Returns the rows of the last statement; all run in one session. */
async function ask(url: string, ...statements: readonly string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Makes every commit wait for the standby of this name; for none when it is empty. */
async function setSynchronousStandby(name: string): Promise<void> {
  const setting = `alter system set synchronous_standby_names = '${name}'`;
  await ask(databaseUrl, setting, "select pg_reload_conf()");
}

/** What the doctor wants fixed at the database. */
async function doctorFailures(): Promise<string[]> {
  const source = { env: environmentOn(devnet, { databaseUrl }) };
  const found: string[] = [];
  // One request an endpoint.
  for await (const { lines } of examine(source, { clock: systemClock, rateSeconds: 0.1 })) {
    for (const { status, name, text } of lines)
      if (status === "fail") found.push(`${name}: ${text}`);
  }
  return found;
}

const databaseMetric = async () =>
  /^x402_ready\{check="database"\} (\d)$/m.exec(
    await (await fetch(`${served.metricsUrl}/metrics`)).text(),
  )?.[1];

/** As a primary that was demoted, or a disk that is protected: reads go on. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const name = nameOf(databaseUrl);
  await ask(
    databaseUrl,
    // Sessions that exist read the setting of the server, not that of the database.
    "set default_transaction_read_only = off",
    `alter database "${name}" set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
  );
}

async function readyOf(): Promise<{ status: number; text: string }> {
  const { status, body } = await served.get("/ready");
  return { status, text: JSON.stringify(body) };
}

test("read-only: /ready is 503 with the reason within seconds, and 200 again afterwards", async () => {
  expect(await readyOf()).toMatchObject({ status: 200 });
  await setReadOnly(true);
  await expect
    .poll(readyOf, { interval: 250 })
    .toEqual({ status: 503, text: expect.stringMatching(/takes no writes: .*standby, or set to/) });
  expect(await doctorFailures()).toContainEqual(
    expect.stringMatching(/^writes: it takes no writes: a standby, or set to read only/),
  );
  const payment = bodyOn(devnet, { payer: walletAt(devnet.buyers, 0) });
  const settled = await served.post("/settle", payment);
  expect([settled.status, settled.body["error"]]).toEqual([503, "service_unavailable"]);

  await setReadOnly(false);
  await expect.poll(async () => (await readyOf()).status, { interval: 250 }).toBe(200);
  expect((await served.post("/settle", payment)).body).toMatchObject({ success: true });
});

test("a start on a server that is read-only waits, says so, and goes on when there is a primary", async () => {
  await setReadOnly(true);
  const opened = Promise.withResolvers<string>();
  const starting = serveOn(devnet, { databaseUrl, wallets: [1], onListening: opened.resolve });
  starting.catch(opened.reject);
  const url = await opened.promise;
  const texts = async () => (await fetch(`${url}/ready`)).text();
  await expect
    .poll(texts, { interval: 250 })
    .toMatch(/start waits for the database: it takes no writes: a standby, or set to read only/);
  await setReadOnly(false);
  const second = await starting;
  await second.stop();
});

async function countSettlements(): Promise<number> {
  return (await ask(databaseUrl, "select id from settlements")).length;
}

test("a synchronous standby that is silent: not ready, nothing claimed twice, and all goes on afterwards", async (context) => {
  // An external server is not set to another mode.
  context.skip(!postgres.isOwn);
  await expect.poll(async () => (await readyOf()).status).toBe(200);
  const before = await countSettlements();
  await setSynchronousStandby("a_standby_that_never_connects");
  await expect.poll(readyOf, { interval: 250 }).toEqual({
    status: 503,
    text: expect.stringMatching(/not confirmed a write for \d+ s; look at its synchronous standby/),
  });
  const payment = bodyOn(devnet, { payer: walletAt(devnet.buyers, 1) });
  expect((await served.post("/settle", payment)).status).toBe(503);
  await expect.poll(databaseMetric, { interval: 250 }).toBe("0");

  await setSynchronousStandby("");
  await expect.poll(async () => (await readyOf()).status).toBe(200);
  expect((await served.post("/settle", payment)).body).toMatchObject({ success: true });
  expect(await countSettlements()).toBe(before + 1);
});

test("a primary that is frozen: not ready with the reason, settles end with 503, and all goes on afterwards", async (context) => {
  context.skip(!postgres.isOwn);
  await expect.poll(async () => (await readyOf()).status).toBe(200);
  const before = await countSettlements();
  const thaw = await postgres.freeze();
  onTestFinished(thaw);
  const payment = bodyOn(devnet, { payer: walletAt(devnet.buyers, 1) });
  const settling = served.post("/settle", payment);
  await expect.poll(readyOf, { interval: 250 }).toEqual({
    status: 503,
    text: expect.stringMatching(
      /the database (has not answered|has not confirmed a write) for \d+ s/,
    ),
  });
  const settled = await settling;
  expect([settled.status, settled.body["error"]]).toEqual([503, "service_unavailable"]);
  expect(settled.headers.get("retry-after")).toMatch(/^\d+$/);

  thaw();
  await expect.poll(async () => (await readyOf()).status).toBe(200);
  expect((await served.post("/settle", payment)).body).toMatchObject({ success: true });
  expect(await countSettlements()).toBe(before + 1);
});
