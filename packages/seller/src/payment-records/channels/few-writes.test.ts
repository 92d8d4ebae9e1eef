/** What a call of a channel costs a store: questions to a server, and commits of a file. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@farthing/engine/testing";
import { Pool } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
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

test("calls that come at once share their commits in a SQLite file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-channels-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "grants.db");
  const records = createSqliteGrants({ path });
  onTestFinished(() => records.close());
  const before = commitsOf(path);
  await Promise.all(Array.from({ length: 20 }, async (_one, nth) => call(records, nth)));
  // All channels are taken, and then all are charged.
  expect(commitsOf(path) - before).toBe(2);
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

test("a call of a channel that this process knows is two questions to PostgreSQL", async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const pool = new Pool({ connectionString: server.databaseUrl });
  onTestFinished(() => pool.end());
  let asked = 0;
  const records = createPostgresGrants({
    client: {
      query(...question: [string, unknown[]]) {
        asked++;
        return pool.query(...question);
      },
    },
  });
  await call(records, 1);
  asked = 0;
  await call(records, 1);
  expect(asked).toBe(2);
});
