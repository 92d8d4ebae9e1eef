/** A database as an earlier version has made it, for tests of upgrades. */
import { Kysely } from "kysely";
import { lateIndexes } from "./late-indexes.ts";
import { migrate } from "./migrate.ts";
import { engineOf } from "./open-storage.ts";
import type { Tables } from "./schema.ts";

/** The schema of the version before the exchanges, of which services run that have years behind them. */
export const earlierSchema = "0004-listings";

/** Makes the tables of that version in an empty database; it had no index that is created late. */
export async function createEarlierSchema(databaseUrl: string): Promise<void> {
  const engine = engineOf(databaseUrl, {});
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  try {
    await migrate({ db, engine }, earlierSchema);
  } finally {
    await db.destroy();
    engine.exchangeFile?.close();
  }
}

/** The indexes that an upgrade creates beside the running service, or in a thread of its own. */
export const lateIndexNames: readonly string[] = lateIndexes.map(({ name }) => name);
