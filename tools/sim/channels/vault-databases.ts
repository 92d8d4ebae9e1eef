/** The facilitator's database of a run: a file of SQLite, or a database of one server of PostgreSQL. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@farthing/engine/testing";
import { openStore, type ServiceStore } from "@farthing/facilitator";
import { Client } from "pg";
import type { DatabaseKind } from "../databases.ts";
import { copyPostgres, copySqlite, type PutBack } from "../stored-copies.ts";

export interface VaultDatabase {
  readonly url: string;
  readonly store: ServiceStore;
  /** Sets the clock that leases are measured by, where the database has one of its own. */
  setTime(nowMs: number): Promise<void>;
  /** Copies all rows; returns what puts them back. */
  copy(): Promise<PutBack>;
}

/** Opens a new database for each run; each ends with its run's stack. */
export type OpenVaultDatabase = (stack: AsyncDisposableStack) => Promise<VaultDatabase>;

/** Starts the server of PostgreSQL where it is wanted; it ends with the stack. */
export async function vaultDatabases(
  kind: DatabaseKind,
  stack: AsyncDisposableStack,
): Promise<OpenVaultDatabase> {
  if (kind === "sqlite") return openSqlite;
  const server = await startPostgres();
  stack.defer(() => server.stop());
  return async (ending) => openPostgres(await server.createDatabase(), ending);
}

/** A file has no clock of its own. */
const setTime = async () => undefined;

const openSqlite: OpenVaultDatabase = async (stack) => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-sim-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "facilitator.db");
  const store = await openStore(`sqlite:${path}`);
  stack.defer(() => store.close());
  return { url: `sqlite:${path}`, store, setTime, copy: async () => copySqlite(path) };
};

async function openPostgres(url: string, stack: AsyncDisposableStack): Promise<VaultDatabase> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(clockOfRun);
  const name = new URL(url).pathname.slice(1);
  // A function in the schema that is searched first overrides PostgreSQL's own.
  await client.query(`alter database ${name} set search_path = public, pg_catalog`);
  stack.defer(() => client.end());
  const store = await openStore(url);
  stack.defer(() => store.close());
  let setMs = 0;
  async function setClock(nowMs: number): Promise<void> {
    if (nowMs < setMs + clockErrorMs) return;
    setMs = nowMs;
    await client.query("update sim.clock set now = to_timestamp($1)", [nowMs / 1_000]);
  }
  return { url, store, setTime: setClock, copy: () => copyPostgres(client) };
}

/** Leases last for fifteen seconds, so this changes nothing, and spares a round trip for each call. */
const clockErrorMs = 500;

/** PostgreSQL's clock, as the run sets it; apart from what is copied and put back. */
const clockOfRun = `create schema sim;
  create table sim.clock (now timestamptz not null);
  insert into sim.clock values (to_timestamp(0));
  create function public.clock_timestamp() returns timestamptz language sql volatile as
    $$ select now from sim.clock $$`;
