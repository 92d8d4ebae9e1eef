/** Opens the database of a DATABASE_URL with the engine's stores on it. */
import { Kysely, sql } from "kysely";
import { Fault } from "../base/fault.ts";
import { silentLog, type Log } from "../base/log.ts";
import { carrierMethods } from "./carriers.ts";
import { claimingCallMethods } from "./claiming-calls.ts";
import { closedTransactionMethods, type ClosedTransactionMethods } from "./closed-transactions.ts";
import { explainFailedOpen } from "./database-problem.ts";
import type { Database, DatabaseDialect } from "./dialect.ts";
import { exchangeCountMethods } from "./exchange-counts.ts";
import { failureWatchMethods } from "./failure-watches.ts";
import type { EngineStore, WalletLeaseStore } from "./engine-store.ts";
import type { ExchangeStore } from "./exchange-store.ts";
import { createGroupCommit } from "./group-commit.ts";
import { identifierMethods } from "./payment-identifiers.ts";
import { walletLeaseMethods } from "./wallet-leases.ts";
import { startLateIndexes } from "./late-indexes.ts";
import { migrate, migrateFeatures, type Migrations } from "./migrate.ts";
import { refuseOtherVersions } from "./other-versions.ts";
import { payerPauseMethods } from "./payer-pauses.ts";
import { isReadOnlyError } from "./postgres/connections.ts";
import { openPostgres, type PostgresLimits } from "./postgres/open-postgres.ts";
import { isPostgresUrl } from "./postgres/postgres-url.ts";
import { openTransactionMethods } from "./open-transactions.ts";
import { relayerMethods } from "./relayer-transactions.ts";
import type { Tables } from "./schema.ts";
import { retentionMethods } from "./retention.ts";
import type { SettlementParticipant } from "./participant.ts";
import { recordParticipants } from "./recorded-participants.ts";
import { stateMethods, type StateMethods } from "./store-state.ts";
import { transitionMethods } from "./settlement-transitions.ts";
import { settlementMethods } from "./settlements.ts";
import { revertedGasMethods } from "./reverted-gas.ts";
import { recoveredMethods } from "./recovered-settlements.ts";
import { refundMethods } from "./refunds.ts";
import { openSqlite } from "./sqlite/node-sqlite.ts";
import { sqlitePathOf } from "./sqlite/sqlite-path.ts";
import { updateAside } from "./sqlite/update-aside.ts";

export interface StorageOptions {
  readonly log?: Log;
  readonly limits?: PostgresLimits;
  /** The features' migrations, which run after the engine's. */
  readonly migrations?: Migrations;
  /** A copy, which no process works on: its leases are of the processes of the original. */
  readonly isCopy?: boolean;
}

/** All stores of the engine on one database. */
export type EngineStores = EngineStore &
  WalletLeaseStore &
  ExchangeStore &
  StateMethods &
  ClosedTransactionMethods;

/** A database before `open`; it has to be closed in any case. */
export type Storage = ReturnType<typeof createStorage>;

/**
 * Creates the storage of `sqlite:/path/to/file`, `sqlite::memory:` or `postgres://…` without a
 * connection. Throws `storage_unavailable` for a wrong path, `configuration` for anything else.
 */
export function createStorage(
  databaseUrl: string,
  participants: readonly SettlementParticipant[],
  options: StorageOptions,
) {
  const { log = silentLog } = options;
  const engine = engineOf(databaseUrl, options);
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  // Without row locks there is one writer, and transactions wait for each other anyway.
  const commitTogether = engine.hasRowLocks ? undefined : createGroupCommit(db);
  const database: Database = { db, engine, commitTogether };
  const { changes } = engine;
  const featureNames = Object.keys(options.migrations ?? {});
  const participantNames = participants.map(({ name }) => name);
  let cancelIndexes: Awaited<ReturnType<typeof startLateIndexes>>;
  const methods = guard({
    ...settlementMethods(database, participants),
    ...transitionMethods(database, participants),
    ...walletLeaseMethods(database),
    ...relayerMethods(database),
    ...openTransactionMethods(database),
    ...payerPauseMethods(database),
    ...failureWatchMethods(database),
    ...carrierMethods(database),
    ...exchangeCountMethods(database),
    ...claimingCallMethods(database),
    ...identifierMethods(database),
    ...retentionMethods(database, participants),
    ...closedTransactionMethods(database),
    ...revertedGasMethods(database),
    ...refundMethods(database),
    ...stateMethods(database),
    ...recoveredMethods(database, participants),
    notify: (kind: "sent" | "unserved", ids: readonly string[]) =>
      changes.announce(db, { kind, ids }),
  });
  const store: EngineStores = { ...methods, onChange: changes.onChange };
  return {
    /** For the stores of features. */
    database,
    store,
    /** Migrates the schema. Throws `storage_unavailable`. */
    async open() {
      try {
        await engine.server?.checkNews();
        if (options.isCopy !== true) await refuseOtherVersions(database, featureNames);
        await updateAside(database, log);
        await migrate(database);
        await migrateFeatures(database, options.migrations ?? {});
        await recordParticipants(database, participantNames);
        await changes.start();
        cancelIndexes = await startLateIndexes(database, log);
      } catch (error) {
        throw explainFailedOpen(error, databaseUrl);
      }
    },
    ...guard(checksOf(database, participantNames)),
    async close() {
      await cancelIndexes?.();
      await changes.stop();
      await db.destroy();
      engine.exchangeFile?.close();
    },
  };
}

function checksOf({ db, engine }: Database, participants: readonly string[]) {
  return {
    /** Whether the server is a standby or set to read only. Throws `storage_unavailable`. */
    isReadOnly: async () => {
      try {
        return (await engine.server?.describe())?.isReadOnly ?? false;
      } catch (error) {
        // A connection that must write is not even opened.
        if (isReadOnlyError(error)) return true;
        throw error;
      }
    },
    /** The server in use; undefined for a file. Throws `storage_unavailable`. */
    describeServer: async () => engine.server?.describe(),
    /** Throws `storage_unavailable` where notifications between processes are lost. */
    checkNews: async () => engine.server?.checkNews(),
    /** Resolves when the database responds. Throws `storage_unavailable`. */
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    /**
     * Resolves when a write is as durable as every other one: a standby, a full disk and a silent
     * synchronous standby answer reads. Throws `storage_unavailable`.
     */
    checkWritable: async () => {
      // The engine alone has no row to write, and no service that would ask.
      if (participants.length === 0) return;
      await db
        .updateTable("participants")
        .set(({ ref }) => ({ name: ref("name") }))
        .where("name", "in", participants)
        .execute();
    },
  };
}

/** Throws `configuration`, or `storage_unavailable` for a file. */
export function engineOf(
  databaseUrl: string,
  options: StorageOptions & { readonly isReadOnly?: boolean },
): DatabaseDialect {
  const { log = silentLog, limits } = options;
  if (isPostgresUrl(databaseUrl)) return openPostgres(databaseUrl, log, limits);
  const path = sqlitePathOf(databaseUrl);
  if (path === undefined) {
    throw new Fault(
      "configuration",
      "DATABASE_URL must be sqlite:/path/to/file or postgres://user:password@host:5432/database",
      { retryable: false },
    );
  }
  try {
    return openSqlite(path, { isReadOnly: options.isReadOnly ?? false });
  } catch (error) {
    throw new Fault(
      "storage_unavailable",
      `The SQLite file ${path} cannot be opened; check its folder and rights`,
      { cause: error },
    );
  }
}

type Methods = Readonly<Record<string, (...parameters: never[]) => Promise<unknown>>>;

/** Turns every database error into the fault that higher layers handle. */
export function guard<T extends Methods>(methods: T): T {
  return new Proxy(methods, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...parameters: unknown[]) => {
        try {
          return await Reflect.apply(method, target, parameters);
        } catch (error) {
          if (error instanceof Fault) throw error;
          const message = `The database failed at ${String(name)}`;
          throw new Fault("storage_unavailable", message, { cause: error });
        }
      };
    },
  });
}
