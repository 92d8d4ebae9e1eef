/**
 * A process that falls silent while it holds locks in PostgreSQL: frozen, or cut off. Whoever waits
 * for them gets them, and not an error, before its own patience ends.
 */
import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../src/features/open-store.ts";
import { startPostgres } from "@farthing/engine/source/storage/postgres.testing";
import {
  postgresLimits,
  type PostgresLimits,
} from "@farthing/engine/source/storage/postgres/open-postgres";
import { startSilentWire } from "@farthing/engine/source/storage/silent-wire.testing";
import { claimOf } from "./store-values.testing.ts";

/** The limits that are served with, all of them shorter: what matters is which ends first. */
const haste = 4;
const limits: PostgresLimits = {
  connectMs: postgresLimits.connectMs / haste,
  statementMs: postgresLimits.statementMs / haste,
  answerMs: postgresLimits.answerMs / haste,
  silentTransactionMs: postgresLimits.silentTransactionMs / haste,
  heartbeatMs: postgresLimits.heartbeatMs / haste,
};

test("a payer whose claim another process left half done can pay through the others", async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const { databaseUrl } = server;
  const wire = await startSilentWire(databaseUrl);
  onTestFinished(wire.stop);
  const holder = await openStore(wire.databaseUrl, { limits });
  onTestFinished(() => holder.close());
  const other = await openStore(databaseUrl, { limits });
  onTestFinished(() => other.close());
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  const payerCap = { units: 1_000n, windowMs: 1_000 };

  // Behind the table's lock the holder has its payer's, and waits; there it falls silent.
  await client.query("begin; lock table settlements in access exclusive mode");
  const abandoned = holder.claimSettlements([claimOf({ payerCap })], 1).catch(() => "lost");
  const isWaiting = async () => {
    const { rows } = await client.query("select from pg_locks where not granted");
    expect(rows).toHaveLength(1);
  };
  await vi.waitFor(isWaiting, { timeout: 60_000, interval: 20 });
  wire.hush(true);
  await client.query("rollback");

  const [result] = await other.claimSettlements([claimOf({ payerCap })], 1);
  expect(result).toMatchObject({ kind: "created" });
  expect(await abandoned).toBe("lost");
});
