/**
 * What a call of a channel costs a store: questions to a server, and commits of a file. Only the charge waits
 * until it is on the disk, since a power cut may undo a lease.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startPostgres } from "@farthing/engine/testing";
import { Pool } from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createPostgresGrants } from "../postgres/postgres.ts";
import { findRedisServer, startRedis } from "../redis/redis-server.testing.ts";
import { createRedisGrants } from "../redis/redis.ts";
import type { PaymentRecords } from "../rules/payment-records.ts";
import { createSqliteGrants } from "../sqlite/sqlite.ts";
import { opened } from "./new-channels.testing.ts";

async function call({ channels }: PaymentRecords, nth: number): Promise<void> {
  const channel = opened(nth);
  const holding = await channels?.hold(channel.id, channel);
  if (holding?.kind !== "held") throw new Error(`The channel is ${holding?.kind}.`);
  const after = await holding.held.charge({ cost: 1n, voucher: channel.voucher });
  if (!after) throw new Error("The channel was lost.");
  // As a shop does, whatever became of the call.
  await holding.held.release();
}

/** Changes that were committed to the log of a SQLite file: the frames with a size of the database. */
function commitsOf(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const [headBytes, frameHeadBytes, pageBytes] = [32, 24, log.readUInt32BE(8)];
  let commits = 0;
  for (let at = headBytes; at < log.length; at += frameHeadBytes + pageBytes) {
    if (log.readUInt32BE(at + 4) > 0) commits++;
  }
  return commits;
}

test("calls that come at once share their commits in a SQLite file, and the charges are on the disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-channels-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "grants.db");
  const records = createSqliteGrants({ path });
  onTestFinished(() => records.close());
  const callAll = () =>
    Promise.all(Array.from({ length: 20 }, async (_one, nth) => call(records, nth)));
  await callAll();
  const before = commitsOf(path);
  const told = vi.spyOn(DatabaseSync.prototype, "exec");
  onTestFinished(() => told.mockRestore());
  await callAll();
  // All channels are taken, and then all are charged.
  expect(commitsOf(path) - before).toBe(2);
  const strengths = told.mock.calls
    .map(([text]) => text)
    .filter((text) => text.startsWith("pragma"));
  expect(strengths).toEqual(["pragma synchronous = normal", "pragma synchronous = full"]);
});

describe.skipIf(findRedisServer() === undefined)("redis", () => {
  test("a call of a channel that this process knows is two questions to Redis", async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const client = await server.connect();
    onTestFinished(() => client.destroy());
    let asked = 0;
    const counting: Parameters<typeof createRedisGrants>[0]["client"] = {
      eval(...question) {
        asked++;
        return client.eval(...question);
      },
    };
    const records = createRedisGrants({ client: counting });
    await call(records, 1);
    asked = 0;
    await call(records, 1);
    expect(asked).toBe(2);
  });
});

test("a call of a channel that this process knows is two questions to PostgreSQL, and the charge is on the disk", async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const pool = new Pool({ connectionString: server.databaseUrl });
  onTestFinished(() => pool.end());
  const asked: string[] = [];
  const records = createPostgresGrants({
    client: {
      query(...question: [string, unknown[]]) {
        asked.push(question[0]);
        return pool.query(...question);
      },
    },
  });
  await call(records, 1);
  asked.length = 0;
  await call(records, 1);
  expect(asked.map((text) => text.includes("set_config('synchronous_commit', 'off'"))).toEqual([
    true,
    false,
  ]);
});
