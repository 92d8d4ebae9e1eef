/** The stores of a seller's payment records, and stores that contain many earlier payments. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startPostgres } from "@farthing/engine/testing";
import { createMemoryGrants, type PaymentRecords } from "@farthing/seller";
import { createPostgresGrants } from "@farthing/seller/postgres";
import { createRedisGrants } from "@farthing/seller/redis";
import { createSqliteGrants } from "@farthing/seller/sqlite";
import { findRedisServer, startRedis } from "@farthing/seller/testing/redis";
import { Client, Pool } from "pg";
import { createClient } from "redis";

/** More than any run adds to what a store contains. */
const recordsMax = 3_000_000;

/** Longer than any run, so that nothing is forgotten meanwhile. */
const dayMs = 86_400_000;

export const storeNames = ["memory", "SQLite", "PostgreSQL", "Redis"] as const;

export type StoreName = (typeof storeNames)[number];

/** A store whose address a seller's process can open, see {@link openRecords}. */
export interface SalesStore {
  readonly name: StoreName;
  /** Returns the address of a new store that contains so many delivered payments. */
  create(count: number): Promise<string>;
}

/**
 * Opens the store at an address: `memory:<earlier payments>`, `sqlite:<file>`, `postgres://…` or
 * `redis:<prefix>@<socket>`.
 */
export async function openRecords(
  address: string,
): Promise<{ readonly records: PaymentRecords; close(): Promise<void> }> {
  const [kind = "", rest = ""] = split(address, ":");
  if (kind === "memory") return { records: await inMemory(Number(rest)), close: async () => {} };
  if (kind === "sqlite") {
    const records = createSqliteGrants({ path: rest, entriesMax: recordsMax });
    return { records, close: async () => records.close() };
  }
  if (kind === "postgres") {
    const client = new Pool({ connectionString: address });
    return { records: createPostgresGrants({ client }), close: () => client.end() };
  }
  const [prefix = "", path = ""] = split(rest, "@");
  const client = await createClient({ socket: { path, tls: false } }).connect();
  return { records: createRedisGrants({ client, prefix }), close: async () => client.destroy() };
}

function split(text: string, at: string): readonly string[] {
  const place = text.indexOf(at);
  return [text.slice(0, place), text.slice(place + 1)];
}

/** Starts the servers of the given stores; Redis is left out where it is not installed. */
export async function startSalesStores(
  names: readonly StoreName[],
  folder: string,
  stack: AsyncDisposableStack,
): Promise<readonly SalesStore[]> {
  const starts: Record<StoreName, () => Promise<SalesStore["create"]>> = {
    memory: async () => async (count) => `memory:${count}`,
    SQLite: async () => async (count) => fillSqlite(join(folder, `${count}.db`), count),
    async PostgreSQL() {
      const server = await startPostgres({ isDurable: true });
      stack.defer(async () => server.stop());
      return async (count) => fillPostgres(await server.createDatabase(), count);
    },
    async Redis() {
      // Everything is on the disk before a response, as with the others.
      const { path, stop } = await startRedis("--appendonly", "yes", "--appendfsync", "always");
      stack.defer(stop);
      return async (count) => fillRedis(path, `of${count}:`, count);
    },
  };
  const stores: SalesStore[] = [];
  for (const name of names) {
    if (name === "Redis" && findRedisServer() === undefined) continue;
    stores.push({ name, create: await starts[name]() });
  }
  return stores;
}

/** In the steps of the payments themselves; nothing waits for a disk. */
async function inMemory(count: number): Promise<PaymentRecords> {
  const records = createMemoryGrants({ entriesMax: recordsMax });
  const receipt = { success: true, transaction: `0x${"cd".repeat(32)}`, network: "eip155:50" };
  const validBeforeMs = Date.now() + dayMs;
  for (let sold = 1; sold <= count; sold++) {
    const binding = { key: `sold ${sold}`, fingerprint: `${sold}`, payload: "", validBeforeMs };
    const acquired = await records.acquire(binding, { proof: {}, rule: "bound" });
    if (acquired.kind !== "acquired") throw new Error(`A payment is ${acquired.kind}.`);
    const { lease } = acquired;
    await lease.settling();
    await lease.paid(receipt);
    await lease.complete(receipt);
  }
  return records;
}

async function fillSqlite(path: string, count: number): Promise<string> {
  createSqliteGrants({ path }).close();
  const file = new DatabaseSync(path);
  file
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < :count)
       insert into grants (key, fingerprint, payload, valid_before_ms, state, receipt, expires_at_ms,
         dispensable_from_ms)
       select printf('sold %d', i), hex(randomblob(32)), hex(randomblob(64)), :end, 'delivered', '{}',
         :end, :end from n where i <= :count`,
    )
    .run({ count, end: Date.now() + dayMs });
  file.close();
  return `sqlite:${path}`;
}

async function fillPostgres(url: string, count: number): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  // Its first question makes the tables.
  await createPostgresGrants({ client }).isTokenShared("token", "payer");
  await client.query(
    `insert into farthing_grants (key, format, fingerprint, payload, state, receipt, expires_at_ms,
       dispensable_from_ms)
     select 'sold ' || i, 1, repeat(md5(i::text), 2), repeat(md5(i::text), 4), 'delivered', '{}',
       $2::bigint, $2::bigint from generate_series(1, $1::int) as i`,
    [count, Date.now() + dayMs],
  );
  await client.query("vacuum analyze farthing_grants");
  await client.end();
  return url;
}

/** A script runs for a fraction of a second with so many. */
const redisRecordsAtOnce = 50_000;

async function fillRedis(path: string, prefix: string, count: number): Promise<string> {
  const client = await createClient({ socket: { path, tls: false } }).connect();
  const script = `for i = ARGV[2], ARGV[3] do
    local key = ARGV[1] .. '{sold ' .. i .. '}'
    redis.call('HSET', key, 'v', '1', 'f', redis.sha1hex(i), 'p', redis.sha1hex(i), 's', 'delivered',
      'r', '{}', 'e', ARGV[4])
    redis.call('PEXPIREAT', key, ARGV[4])
  end`;
  const end = `${Date.now() + dayMs}`;
  for (let first = 1; first <= count; first += redisRecordsAtOnce) {
    const last = Math.min(count, first + redisRecordsAtOnce - 1);
    await client.eval(script, { keys: [], arguments: [prefix, `${first}`, `${last}`, end] });
  }
  client.destroy();
  return `redis:${prefix}@${path}`;
}
