/** What the next start will change in a database, read without changing it. */
import { Kysely, sql } from "kysely";
import { Fault } from "../base/fault.ts";
import { inspectStore, type StoreReport } from "./inspect-store.ts";
import { listMissingIndexes } from "./late-indexes.ts";
import { engineOf } from "./open-storage.ts";
import type { Tables } from "./schema.ts";
import { sqlitePathOf } from "./sqlite/sqlite-path.ts";

export interface UpgradeReport extends StoreReport {
  /** Indexes that the start creates: before it serves on SQLite, in the background on PostgreSQL. */
  readonly indexes: readonly { readonly name: string; readonly table: string }[];
  /** About how many there are; undefined for a new database. */
  readonly settlements: number | undefined;
  readonly isSqlite: boolean;
}

/** `features` as for `inspectStore`. Throws the fault `storage_unavailable`. */
export async function inspectUpgrade(
  databaseUrl: string,
  now: number,
  features: readonly string[],
): Promise<UpgradeReport> {
  const isSqlite = sqlitePathOf(databaseUrl) !== undefined;
  const report = await inspectStore(databaseUrl, now, features);
  if (report.isNew) return { ...report, indexes: [], settlements: undefined, isSqlite };
  const engine = engineOf(databaseUrl, { isReadOnly: true });
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  try {
    const missing = await listMissingIndexes({ db, engine });
    const indexes = missing.map(({ name, table }) => ({ name, table }));
    return { ...report, indexes, settlements: await estimateSettlements(db, isSqlite), isSqlite };
  } catch (cause) {
    throw new Fault("storage_unavailable", "The database cannot be read", { cause });
  } finally {
    await db.destroy();
  }
}

/** Without reading the table: by its highest row on SQLite, by PostgreSQL's own statistics there. */
async function estimateSettlements(db: Kysely<Tables>, isSqlite: boolean): Promise<number> {
  const estimate = isSqlite
    ? sql<{ rows: number | string | null }>`select max(rowid) as rows from settlements`
    : sql<{ rows: number | string | null }>`
        select reltuples::bigint as rows from pg_class where oid = to_regclass('settlements')`;
  const [row] = (await estimate.execute(db)).rows;
  // PostgreSQL has -1 for a table that was never analyzed.
  return Math.max(0, Number(row?.rows ?? 0));
}
