/** The migrations that a database records, beside those that this version knows. */
import { sql, type Kysely } from "kysely";
import { migrationNames } from "./migrate.ts";
import type { Tables } from "./schema.ts";

/** Kysely's table of migrations, and that of features. */
const migrationTable = "kysely_migration";
const featureTable = "feature_migration";

export interface RecordedMigrations {
  readonly isNew: boolean;
  /** Those that the next start runs, in order; all of them when the database is new. */
  readonly missing: readonly string[];
  /** Those of a newer version. */
  readonly unknown: readonly string[];
}

/** `features` are the names of the features' migrations, in order; none for an engine alone. */
export async function readMigrations(
  db: Kysely<Tables>,
  features: readonly string[],
): Promise<RecordedMigrations> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const hasTable = (table: string) => tables.some(({ name }) => name === table);
  const listDone = (table: string) => (hasTable(table) ? readNames(db, table) : []);
  const own = compare(migrationNames, await listDone(migrationTable));
  const ofFeatures = compare(features, features.length > 0 ? await listDone(featureTable) : []);
  return {
    isNew: !hasTable(migrationTable),
    missing: [...own.missing, ...ofFeatures.missing],
    unknown: [...own.unknown, ...ofFeatures.unknown],
  };
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
