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
  readonly store: ServiceStore;
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

const openSqlite: OpenVaultDatabase = async (stack) => {
  const folder = mkdtempSync(join(tmpdir(), "farthing-sim-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "facilitator.db");
  const store = await openStore(`sqlite:${path}`);
  stack.defer(() => store.close());
  return { store, copy: async () => copySqlite(path) };
};

async function openPostgres(url: string, stack: AsyncDisposableStack): Promise<VaultDatabase> {
  const client = new Client({ connectionString: url });
  await client.connect();
  stack.defer(() => client.end());
  const store = await openStore(url);
  stack.defer(() => store.close());
  return { store, copy: () => copyPostgres(client) };
}
