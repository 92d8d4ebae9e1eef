/** Stores that lose what was written last, as after a failover to a standby or the restoration of a copy. */
import { copyFileSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { createClient, RESP_TYPES } from "redis";
import type { Store } from "./shared-stores.testing.ts";

/** Puts a store back to how it was; no process may have it open. */
export type Lose = () => Promise<void>;

/** Remembers a store as it is now, also while processes have it open. */
export async function remember({ kind, path }: Store): Promise<Lose> {
  if (kind === "sqlite") return rememberFile(path);
  if (kind === "redis") return rememberRedis(path);
  if (kind === "postgres") return rememberTables(path);
  throw new Error(`A ${kind} loses nothing that it has confirmed`);
}

let copies = 0;

async function rememberFile(path: string): Promise<Lose> {
  const copy = `${path}.${++copies}.copy`;
  const file = new DatabaseSync(path);
  file.exec("PRAGMA busy_timeout = 5000");
  file.prepare("vacuum into ?").run(copy);
  file.close();
  return async () => {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    copyFileSync(copy, path);
  };
}

async function rememberRedis(path: string): Promise<Lose> {
  const client = await createClient({ socket: { path, tls: false } }).connect();
  const raw = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  const kept = await Promise.all(
    (await client.keys("*")).map(async (key) => {
      const [bytes, ttl] = await Promise.all([raw.dump(key), client.pTTL(key)]);
      return { key, bytes, ttl: Math.max(0, ttl) };
    }),
  );
  return async () => {
    await client.flushAll();
    for (const { key, bytes, ttl } of kept) {
      if (bytes) await client.restore(key, ttl, bytes);
    }
    client.destroy();
  };
}

async function rememberTables(url: string): Promise<Lose> {
  const client = new Client({ connectionString: url });
  // Its server ends before it where a test has failed.
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where tablename like 'farthing\\_%'",
  );
  const copy = `kept_${++copies}`;
  await client.query(`create schema ${copy}`);
  for (const { name } of rows) await client.query(`create table ${copy}.${name} as table ${name}`);
  return async () => {
    const names = rows.map(({ name }) => name);
    if (names.length === 0) throw new Error("The shop has made no tables yet");
    await client.query(`truncate ${names.join(", ")}`);
    for (const name of names) {
      await client.query(`insert into ${name} overriding system value table ${copy}.${name}`);
    }
    await client.end();
  };
}
