/** Reads a database without changing it: its schema, and the holders of its wallets. */
import { openTransactionStates } from "../model/relayer-transaction.ts";
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import type { ChainId } from "@farthing/protocol";
import { Kysely } from "kysely";
import { Fault } from "../base/fault.ts";
import { measureDatabase, type DatabaseSize } from "./database-size.ts";
import type { Database, DatabaseDialect } from "./dialect.ts";
import { migrationNames } from "./migrate.ts";
import { engineOf } from "./open-storage.ts";
import { readMigrations, type RecordedMigrations } from "./recorded-migrations.ts";
import { numberOrNull } from "./rows.ts";
import type { Tables } from "./schema.ts";
import { sqlitePathOf } from "./sqlite/sqlite-path.ts";
import { stateMethods, type OpenSettlements } from "./store-state.ts";
import { isRunning, selectNewestAt } from "./wallet-leases.ts";

export interface StoreReport extends RecordedMigrations {
  /** Also of an earlier version's schema; empty when a newer version has changed it. */
  readonly wallets: readonly WalletReport[];
  /** Open settlements of each chain that has a wallet; empty unless the schema of the engine is this version's. */
  readonly open: readonly (OpenSettlements & { readonly chainId: ChainId })[];
  /** Absent for a new database. */
  readonly size?: DatabaseSize;
}

export type WalletReport = Awaited<ReturnType<typeof listWallets>>[number];

/** The migration that makes the tables of wallets. */
const [first = ""] = migrationNames;

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
    return {
      missing: [...migrationNames, ...features],
      isNew: true,
      unknown: [],
      wallets: [],
      open: [],
    };
  }
  const engine = engineOf(databaseUrl, { isReadOnly: true });
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  try {
    const recorded = await readMigrations(db, features);
    const { isNew, missing, unknown } = recorded;
    const size = isNew ? {} : { size: await measureDatabase(db, sqlitePathOf(databaseUrl)) };
    // Earlier versions have the same leases; those of a newer one may mean something else.
    const hasLeases = unknown.length === 0 && !missing.includes(first);
    const wallets = hasLeases ? await listWallets(db, engine, now) : [];
    const isCurrent = !missing.some((name) => migrationNames.includes(name));
    const chains = isCurrent ? wallets.map(({ chainId }) => chainId) : [];
    const open = await listOpen({ db, engine }, new Set(chains));
    return { ...recorded, wallets, open, ...size };
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

async function listOpen(database: Database, chainIds: ReadonlySet<ChainId>) {
  const { countOpenSettlements } = stateMethods(database);
  const open = [...chainIds].map(async (chainId) =>
    (await countOpenSettlements(chainId)).map((one) => ({ ...one, chainId })),
  );
  return (await Promise.all(open)).flat();
}

async function listWallets(db: Kysely<Tables>, engine: DatabaseDialect, now: number) {
  const [wallets, open] = await Promise.all([
    db
      .selectFrom("lanes")
      .select(["chain_id", "lane", "next_nonce"])
      .select(["lease_owner", isRunning(engine, now)])
      .select(selectNewestAt)
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
    /** Of its newest transaction, in milliseconds; null where it has none. */
    newestAt: numberOrNull(row.newest_at),
    /** The process with a running lease; null when there is none. */
    holder: row.is_running === 1 ? row.lease_owner : null,
    /** Transactions that may still be mined. */
    open: Number(open.find((one) => one.chain_id === chainId && one.lane === wallet)?.open ?? 0),
  }));
}
