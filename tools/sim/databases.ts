/**
 * A database for each run. PostgreSQL's server is started with the first run that wants one and
 * shared; its clock runs as fast as every other clock of the run, since leases are measured by it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, type TestPostgres } from "@farthing/engine/testing";
import { Client } from "pg";
import { readPostgresRows, readSqliteRows, type Stored } from "@farthing/lab/audit";
import {
  notePostgresSteps,
  noteSqliteSteps,
  readPostgresSteps,
  readSqliteSteps,
  type EngineStep,
} from "../model/traces/stored-steps.ts";
import { copyPostgres, copySqlite, endOtherSessions, type PutBack } from "./stored-copies.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The kinds. */
export const databaseKinds = ["sqlite", "postgres"] as const;

/** One of {@link databaseKinds}. */
export type DatabaseKind = (typeof databaseKinds)[number];

/** The database of one run. */
export interface RunDatabase {
  readonly url: string;
  /** Reads every row, also while a facilitator works on it. */
  read(): Promise<Stored>;
  /** Begins to note every change of a row; its tables are there. */
  noteSteps(): Promise<void>;
  /** What was noted, as far as no loss has taken it back. */
  steps(): AsyncIterable<EngineStep>;
  /** Lets it take no writes, or takes that back; without effect on SQLite. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /** Copies all rows; returns what puts them back, as a restore or a failover does. */
  copy(): Promise<PutBack>;
  /** A session in it beside those of the service; PostgreSQL alone has it. */
  readonly client?: Client;
  /** Removes it. */
  close(): Promise<void>;
}

/** Opens databases. */
export interface Databases {
  /** `time`: the run's. */
  open(kind: DatabaseKind, time: VirtualTime): Promise<RunDatabase>;
  /** Ends the server, if there is one. */
  stop(): Promise<void>;
}

/** Starts nothing before the first database is opened. */
export function createDatabases(): Databases {
  let starting: Promise<TestPostgres> | undefined;
  return {
    async open(kind, time) {
      if (kind === "sqlite") return openSqlite();
      starting ??= startPostgres();
      return openPostgres(await starting, time);
    },
    async stop() {
      await (await starting)?.stop();
    },
  };
}

function openSqlite(): RunDatabase {
  const folder = mkdtempSync(join(tmpdir(), "farthing-sim-"));
  const path = join(folder, "farthing.db");
  return {
    url: `sqlite:${path}`,
    read: async () => readSqliteRows(path),
    noteSteps: async () => noteSqliteSteps(path),
    async *steps() {
      yield* readSqliteSteps(path);
    },
    setReadOnly: async () => undefined,
    copy: async () => copySqlite(path),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function openPostgres(server: TestPostgres, time: VirtualTime): Promise<RunDatabase> {
  const url = await server.createDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  const name = new URL(url).pathname.slice(1);
  await client.query(fasterClock(time));
  // A function in the schema that is searched first overrides PostgreSQL's own.
  await client.query(`alter database ${name} set search_path = public, pg_catalog`);
  return {
    url,
    client,
    read: () => readPostgresRows(client),
    noteSteps: () => notePostgresSteps(client),
    steps: () => readPostgresSteps(client),
    copy: () => copyPostgres(client),
    async setReadOnly(isReadOnly) {
      const value = isReadOnly ? "on" : "off";
      // Sessions that exist have read the setting of the database already.
      await client.query("set default_transaction_read_only = off");
      await client.query(`alter database ${name} set default_transaction_read_only = ${value}`);
      await client.query(endOtherSessions);
    },
    async close() {
      await client.end();
      const other = new Client({ connectionString: server.databaseUrl });
      await other.connect();
      await other.query(`drop database ${name} with (force)`);
      await other.end();
    },
  };
}

/** A function with the name of PostgreSQL's clock that starts at the run's time and runs faster. */
function fasterClock({ startedAtMs, speed }: VirtualTime): string {
  const start = `to_timestamp(${startedAtMs / 1_000})`;
  return `create function public.clock_timestamp() returns timestamptz language sql volatile as
    $$ select ${start} + (pg_catalog.clock_timestamp() - ${start}) * ${speed} $$`;
}
