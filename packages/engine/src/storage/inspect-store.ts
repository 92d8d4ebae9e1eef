/** Reads a database without changing it: its schema, and the holders of its wallets. */
import { openTransactionStates } from "../model/relayer-transaction.ts";
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { Kysely, sql } from "kysely";
import { Fault } from "../base/fault.ts";
import { measureDatabase, type DatabaseSize } from "./database-size.ts";
import type { DatabaseDialect } from "./dialect.ts";
import { migrationNames } from "./migrate.ts";
import { engineOf } from "./open-storage.ts";
import type { Tables } from "./schema.ts";
import { sqlitePathOf } from "./sqlite/sqlite-path.ts";
import { isRunning } from "./wallet-leases.ts";

export interface StoreReport {
  /** Migrations that the next start runs; all of them when the database is new. */
  readonly missing: readonly string[];
  readonly isNew: boolean;
  /** Migrations of a newer version. */
  readonly unknown: readonly string[];
  /** Empty when the engine's schema is not this version's. */
  readonly wallets: readonly WalletReport[];
  /** Absent for a new database. */
  readonly size?: DatabaseSize;
}

export type WalletReport = Awaited<ReturnType<typeof listWallets>>[number];

/** Kysely's table of migrations, and that of features. */
const migrationTable = "kysely_migration";
const featureTable = "feature_migration";

/**
 * `features` are the names of the features' migrations, in order; none for an engine alone. Throws
 * the fault `storage_unavailable`, with the reason as its cause.
 */
export async function inspectStore(
  databaseUrl: string,
  now: number,
  features: readonly string[] = [],
): Promise<StoreReport> {
  if (isFileToBe(databaseUrl)) {
    return { missing: [...migrationNames, ...features], isNew: true, unknown: [], wallets: [] };
  }
  const engine = engineOf(databaseUrl, { isReadOnly: true });
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  try {
    const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
    const listDone = (table: string) =>
      tables.some(({ name }) => name === table) ? readNames(db, table) : [];
    const own = compare(migrationNames, await listDone(migrationTable));
    const ofFeatures = compare(features, features.length > 0 ? await listDone(featureTable) : []);
    const isNew = !tables.some(({ name }) => name === migrationTable);
    const isCurrent = own.missing.length === 0 && own.unknown.length === 0;
    const size = isNew ? {} : { size: await measureDatabase(db, sqlitePathOf(databaseUrl)) };
    return {
      missing: [...own.missing, ...ofFeatures.missing],
      isNew,
      unknown: [...own.unknown, ...ofFeatures.unknown],
      wallets: isCurrent ? await listWallets(db, engine, now) : [],
      ...size,
    };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("storage_unavailable", "The database cannot be read", { cause: error });
  } finally {
    await db.destroy();
  }
}

/** Returns whether the first start will create the SQLite file. Throws where it could not. */
function isFileToBe(databaseUrl: string): boolean {
  const path = sqlitePathOf(databaseUrl);
  if (path === ":memory:") return true;
  if (path === undefined || existsSync(path)) return false;
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    throw new Fault("storage_unavailable", "there is no such folder, or it cannot be written to", {
      cause,
    });
  }
  return true;
}

async function readNames(db: Kysely<Tables>, table: string): Promise<string[]> {
  const done = sql<{ name: string }>`select name from ${sql.table(table)}`;
  return (await done.execute(db)).rows.map(({ name }) => name);
}

function compare(known: readonly string[], done: readonly string[]) {
  return {
    missing: known.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !known.includes(name)),
  };
}

async function listWallets(db: Kysely<Tables>, engine: DatabaseDialect, now: number) {
  const [wallets, open] = await Promise.all([
    db
      .selectFrom("lanes")
      .select(["chain_id", "lane", "next_nonce"])
      .select(["lease_owner", isRunning(engine, now)])
      .orderBy("chain_id")
      .orderBy("lane")
      .execute(),
    db
      .selectFrom("relayer_transactions")
      .select(["chain_id", "lane"])
      .select(({ fn }) => fn.countAll<number | string>().as("open"))
      .where("state", "in", openTransactionStates)
      .groupBy(["chain_id", "lane"])
      .execute(),
  ]);
  return wallets.map(({ chain_id: chainId, lane: wallet, ...row }) => ({
    chainId,
    /** In lower case. */
    wallet,
    nextNonce: Number(row.next_nonce),
    /** The process with a running lease; null when there is none. */
    holder: row.is_running === 1 ? row.lease_owner : null,
    /** Transactions that may still be mined. */
    open: Number(open.find((one) => one.chain_id === chainId && one.lane === wallet)?.open ?? 0),
  }));
}
