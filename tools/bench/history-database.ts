/** A database past the store: statements, and how large it is. */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";

/** The two databases that a service may have. */
export type HistoryEngine = "sqlite" | "postgres";

/** How a report names them. */
export const engineNames = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** Statements past the store. */
export interface RawDatabase {
  readonly engine: HistoryEngine;
  run(statement: string): Promise<void>;
  /** The rows of a statement. */
  ask(statement: string): Promise<Record<string, unknown>[]>;
  /** Bytes on the disk, after the database's own housekeeping. */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a database that a store has made before, without its triggers until it is closed. */
export async function openRaw(databaseUrl: string): Promise<RawDatabase> {
  return databaseUrl.startsWith("sqlite:") ? openSqlite(databaseUrl) : openPostgres(databaseUrl);
}

/** SQLite's cache while a history is filled, in KiB: the indexes that are written at random. */
const sqliteCacheKib = 2_000_000;

function openSqlite(databaseUrl: string): RawDatabase {
  const path = databaseUrl.slice("sqlite:".length);
  const database = new DatabaseSync(path);
  database.exec(`pragma synchronous = off; pragma cache_size = -${sqliteCacheKib}`);
  // What is filled in is in order: the triggers are put back afterwards.
  const triggers = database
    .prepare("select name, sql from sqlite_master where type = 'trigger'")
    .all();
  for (const { name } of triggers) database.exec(`drop trigger ${String(name)}`);
  return {
    engine: "sqlite",
    run: async (statement) => database.exec(statement),
    ask: async (statement) => database.prepare(statement).all(),
    // Without `analyze`: the service does not run it, and it changes the plans.
    size: async () => {
      database.exec("pragma wal_checkpoint(truncate)");
      return statSync(path).size;
    },
    close: async () => {
      for (const { sql } of triggers) database.exec(String(sql));
      database.close();
    },
  };
}

async function openPostgres(databaseUrl: string): Promise<RawDatabase> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  // What is filled in is in order: neither the triggers nor the disk have to see to that.
  await client.query("set session_replication_role = replica; set synchronous_commit = off");
  const ask = async (statement: string) => {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows;
  };
  return {
    engine: "postgres",
    run: async (statement) => void (await ask(statement)),
    ask,
    // As its own housekeeping does sooner or later.
    size: async () => {
      await ask("vacuum analyze");
      await ask("checkpoint");
      const [row] = await ask("select pg_database_size(current_database()) as size");
      return Number(row?.["size"]);
    },
    close: () => client.end(),
  };
}
