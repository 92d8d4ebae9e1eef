/** A database that answers reads and takes no writes: the service says that it is not ready. */
import { startPostgres } from "@farthing/engine/testing";
import type { Devnet } from "@farthing/devnet";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let databaseUrl: string;
let served: Served;
beforeAll(async () => {
  devnet = await startChain({ buyers: 2 });
  postgres = await startPostgres();
  databaseUrl = await postgres.createDatabase();
  served = await serveOn(devnet, { databaseUrl });
});
afterAll(async () => {
  await setReadOnly(false).catch(() => undefined);
  await served?.stop();
  await postgres?.stop();
  await devnet?.stop();
});

/** As a primary that was demoted, or a disk that is protected: reads go on. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const name = new URL(databaseUrl).pathname.slice(1);
    const mode = isReadOnly ? "on" : "off";
    // Sessions that exist read the setting of the server, not that of the database.
    await client.query("set default_transaction_read_only = off");
    await client.query(`alter database "${name}" set default_transaction_read_only = ${mode}`);
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()",
      [name],
    );
  } finally {
    await client.end();
  }
}

async function readyOf(): Promise<{ status: number; text: string }> {
  const { status, body } = await served.get("/ready");
  return { status, text: JSON.stringify(body) };
}

test("read-only: /ready is 503 with the reason within seconds, and 200 again afterwards", async () => {
  expect(await readyOf()).toMatchObject({ status: 200 });
  await setReadOnly(true);
  await expect
    .poll(readyOf, { timeout: 15_000, interval: 250 })
    .toEqual({ status: 503, text: expect.stringMatching(/takes no writes: .*standby, or set to/) });
  const payment = bodyOn(devnet, { payer: walletAt(devnet.buyers, 0) });
  const settled = await served.post("/settle", payment);
  expect([settled.status, settled.body["error"]]).toEqual([503, "service_unavailable"]);

  await setReadOnly(false);
  await expect
    .poll(async () => (await readyOf()).status, { timeout: 15_000, interval: 250 })
    .toBe(200);
  expect((await served.post("/settle", payment)).body).toMatchObject({ success: true });
});
