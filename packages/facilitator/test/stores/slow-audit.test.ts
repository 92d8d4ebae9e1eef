/** The audit of a ledger reads all of it, and has the time that this takes. */
import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../src/features/open-store.ts";
import { startPostgres } from "@farthing/engine/source/storage/postgres.testing";
import { postgresLimits } from "@farthing/engine/source/storage/postgres/open-postgres";

/** So short that a statement which waits for a lock meets it at once. */
const statementMs = 200;

test("an audit goes on where any other statement would have met its limit", async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const { databaseUrl } = server;
  const store = await openStore(databaseUrl, { limits: { ...postgresLimits, statementMs } });
  onTestFinished(() => store.close());
  const account = `0x${"33".repeat(20)}` as const;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin; lock table accounts in access exclusive mode");
  const audit = store.auditCredits(10);
  const isWaiting = async () => {
    const { rows } = await client.query("select from pg_locks where not granted");
    expect(rows).toHaveLength(1);
  };
  await vi.waitFor(isWaiting, { timeout: 60_000, interval: 20 });
  // It came later, and is given up before.
  await expect(store.findAccount(account)).rejects.toThrow("The database failed");
  await client.query("rollback");
  expect(await audit).toEqual([]);
});
