/** Brings a database to the newest schema. Migrations are numbered and never edited once released. */
import type { Kysely } from "kysely";
import { Migrator, type Migration, type MigratorProps } from "kysely/migration";
import { Fault } from "../base/fault.ts";
import { patiently, type Database, type IdType } from "./dialect.ts";
import * as settlements from "./migrations/0001-settlements.ts";
import * as sharedLanes from "./migrations/0002-shared-lanes.ts";
import * as accounts from "./migrations/0003-accounts.ts";
import * as listings from "./migrations/0004-listings.ts";
import * as exchanges from "./migrations/0006-exchanges.ts";
import * as payerPauses from "./migrations/0007-payer-pauses.ts";
import * as keylessLimits from "./migrations/0008-keyless-limits.ts";
import * as repeats from "./migrations/0009-repeats.ts";
import * as revertedGas from "./migrations/0010-reverted-gas.ts";
import * as settlementSums from "./migrations/0011-settlement-sums.ts";
import * as failureWatches from "./migrations/0012-failure-watches.ts";
import * as retention from "./migrations/0013-retention.ts";
import * as participants from "./migrations/0014-participants.ts";
import * as refunds from "./migrations/0015-refunds.ts";
import * as signatureHashes from "./migrations/0016-signature-hashes.ts";
import * as recoveredSettlements from "./migrations/0017-recovered-settlements.ts";
import * as closedTransactions from "./migrations/0018-closed-transactions.ts";
import * as earlierFailures from "./migrations/0019-earlier-failures.ts";

/** Migrations by name; they run in the order of the list. */
export type Migrations = Readonly<
  Record<string, (db: Kysely<unknown>, idType: IdType) => Promise<void>>
>;

const migrations: Migrations = {
  "0001-settlements": settlements.up,
  "0002-shared-lanes": sharedLanes.up,
  "0003-accounts": accounts.up,
  "0004-listings": listings.up,
  "0006-exchanges": exchanges.up,
  "0007-payer-pauses": payerPauses.up,
  "0008-keyless-limits": keylessLimits.up,
  "0009-repeats": repeats.up,
  "0010-reverted-gas": revertedGas.up,
  "0011-settlement-sums": settlementSums.up,
  "0012-failure-watches": failureWatches.up,
  "0013-retention": retention.up,
  "0014-participants": participants.up,
  "0015-refunds": refunds.up,
  "0016-signature-hashes": signatureHashes.up,
  "0017-recovered-settlements": recoveredSettlements.up,
  "0018-closed-transactions": closedTransactions.up,
  "0019-earlier-failures": earlierFailures.up,
};

/** Oldest first. */
export const migrationNames: readonly string[] = Object.keys(migrations).toSorted();

/** Runs the engine's missing migrations, to `upTo`, under a lock. Throws `storage_unavailable`. */
export async function migrate(database: Database, upTo?: string): Promise<void> {
  await run(database, migrations, {}, upTo);
}

/**
 * Runs missing migrations of features. A separate table records them, so that a feature may be
 * added or extended at any place among the others. Throws `storage_unavailable`.
 */
export async function migrateFeatures(database: Database, migrations: Migrations): Promise<void> {
  const names = Object.keys(migrations);
  if (names.length === 0) return;
  await run(database, migrations, {
    migrationTableName: "feature_migration",
    migrationLockTableName: "feature_migration_lock",
    allowUnorderedMigrations: true,
    nameComparator: (one, other) => names.indexOf(one) - names.indexOf(other),
  });
}

async function run(
  database: Database,
  migrations: Migrations,
  options: Omit<MigratorProps, "db" | "provider">,
  upTo?: string,
): Promise<void> {
  const { idType } = database.engine;
  const entries = Object.entries(migrations).map(([name, up]): [string, Migration] => [
    name,
    { up: (inside) => up(inside, idType) },
  ]);
  const provider = { getMigrations: async () => Object.fromEntries(entries) };
  const { error } = await patiently(database, async (db) => {
    const migrator = new Migrator({ db, provider, ...options });
    if (upTo !== undefined) return migrator.migrateTo(upTo);
    // A start that has nothing to change takes no lock, for which another one would wait.
    const known = await migrator.getMigrations();
    if (known.every(({ executedAt }) => executedAt !== undefined)) return { error: undefined };
    return migrator.migrateToLatest();
  });
  if (error === undefined) return;
  throw new Fault(
    "storage_unavailable",
    "The database could not be brought to this version's schema",
    { retryable: false, cause: error },
  );
}
