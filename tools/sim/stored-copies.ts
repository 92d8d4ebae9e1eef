/**
 * Copies of a whole database, and databases that are put back to one: what is left after the restore of
 * a backup, or when an asynchronous standby takes over. Sequences go back too, so ids are given again.
 */
import { DatabaseSync } from "node:sqlite";
import { DatabaseError, type Client } from "pg";

/** Puts a database back to how it was when the copy was made. */
export type PutBack = () => Promise<void>;

/** Milliseconds for which a copy waits for a facilitator that writes. */
const busyMs = 5_000;

/** Copies a SQLite file. */
export function copySqlite(path: string): PutBack {
  const before = openFile(path);
  const tables = before
    .prepare("select name from sqlite_master where type = 'table'")
    .all()
    .map(({ name }) => String(name));
  const rows = new Map(
    tables.map((table) => [table, before.prepare(`select * from "${table}"`).all()] as const),
  );
  before.close();
  return async () => {
    const now = openFile(path);
    now.exec("pragma foreign_keys = off; begin immediate");
    for (const [table, copied] of rows) {
      now.exec(`delete from "${table}"`);
      for (const row of copied) {
        const names = Object.keys(row);
        const columns = names.map((name) => `"${name}"`).join(", ");
        const marks = names.map(() => "?").join(", ");
        const insert = now.prepare(`insert into "${table}" (${columns}) values (${marks})`);
        insert.run(...Object.values(row));
      }
    }
    now.exec("commit");
    now.close();
  };
}

function openFile(path: string): DatabaseSync {
  const file = new DatabaseSync(path);
  file.exec(`pragma busy_timeout = ${busyMs}`);
  return file;
}

/** Milliseconds that PostgreSQL waits for a session to end. */
const endMs = 30_000;

/** Ends all other sessions of the database, as a failover does. */
export const endOtherSessions = `select pg_terminate_backend(pid, ${endMs}) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and backend_type = 'client backend'`;

/** How often the tables are asked for; a service connects again a few times while its sessions end. */
const lockTriesMax = 200;

/** The code of PostgreSQL for a lock that another session has. */
const lockNotAvailable = "55P03";

/**
 * Begins a transaction that has all tables locked. A session that has connected since the others ended may
 * hold one lock and wait for another. This transaction waits for no lock, which would be a deadlock; it ends
 * the other sessions once more.
 */
async function beginAlone(client: Client, tables: string, tries = lockTriesMax): Promise<void> {
  await client.query(endOtherSessions);
  await client.query("begin; set local session_replication_role = replica");
  try {
    await client.query(`lock table ${tables} in access exclusive mode nowait`);
  } catch (error) {
    await client.query("rollback");
    if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable || tries === 1) {
      throw error;
    }
    await beginAlone(client, tables, tries - 1);
  }
}

/** Copies the tables and sequences of a PostgreSQL database, in one moment. */
export async function copyPostgres(client: Client): Promise<PutBack> {
  const list = async (query: string) =>
    (await client.query<{ name: string }>(query)).rows.map(({ name }) => name);
  const tables = await list(`select tablename as name from pg_tables where schemaname = 'public'`);
  const sequences = await list(
    `select sequencename as name from pg_sequences where schemaname = 'public'`,
  );
  await client.query("begin isolation level repeatable read");
  await client.query(`drop schema if exists copied cascade; create schema copied`);
  for (const table of tables) {
    await client.query(`create table copied."${table}" as table public."${table}"`);
  }
  const lastValues = new Map<string, string>();
  for (const name of sequences) {
    const text = `select last_value from public."${name}"`;
    const { rows } = await client.query<{ last_value: string }>(text);
    lastValues.set(name, rows[0]?.last_value ?? "1");
  }
  await client.query("commit");
  return async () => {
    const all = tables.map((table) => `public."${table}"`).join(", ");
    await beginAlone(client, all);
    await client.query(`truncate ${all}`);
    for (const table of tables) {
      await client.query(
        `insert into public."${table}" overriding system value table copied."${table}"`,
      );
    }
    for (const [name, last] of lastValues) {
      await client.query(`select setval('public."${name}"', ${last})`);
    }
    // Whoever has connected meanwhile has seen what is lost, which nobody sees after a failover.
    await client.query(endOtherSessions);
    await client.query("commit");
  };
}
