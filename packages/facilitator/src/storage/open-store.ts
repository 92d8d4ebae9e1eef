/** Opens the store that a DATABASE_URL names and brings its schema up to date. */
import { Kysely, sql } from "kysely";
import { Fault } from "../base/fault.ts";
import { silentLog, type Log } from "../base/log.ts";
import { accountVerbs } from "./accounts.ts";
import { apiKeyVerbs } from "./api-keys.ts";
import { carryingWalletVerbs } from "./carrying-wallets.ts";
import { claimingCallVerbs } from "./claiming-calls.ts";
import { databasePlace, findDatabaseProblem } from "./database-problem.ts";
import type { Engine } from "./dialect.ts";
import { exchangeCountVerbs } from "./exchange-counts.ts";
import { failureWatchVerbs } from "./failure-watches.ts";
import { createGroupCommit } from "./group-commit.ts";
import { historyVerbs } from "./history.ts";
import { identifierVerbs } from "./payment-identifiers.ts";
import { keylessVerbs } from "./keyless-limits.ts";
import { laneVerbs } from "./lanes.ts";
import { creditVerbs } from "./ledger.ts";
import { listingVerbs } from "./listings.ts";
import { startLateIndexes, type LateIndexing } from "./late-indexes.ts";
import { migrate } from "./migrate.ts";
import { repairVerbs } from "./nonce-repairs.ts";
import { payerPauseVerbs } from "./payer-pauses.ts";
import { openPostgres, type PostgresLimits } from "./postgres/open-postgres.ts";
import { purchaseVerbs } from "./purchases.ts";
import { relayerVerbs } from "./relayer-transactions.ts";
import type { Tables } from "./schema.ts";
import { nothing, retentionVerbs } from "./retention.ts";
import type { SettlementParticipant } from "./participant.ts";
import { serviceParticipants } from "./service-participants.ts";
import { recordParticipants } from "./recorded-participants.ts";
import { transitionMethods } from "./settlement-transitions.ts";
import { settlementVerbs } from "./settlements.ts";
import { revertedGasVerbs } from "./reverted-gas.ts";
import { revertedVerbs } from "./reverted-settlements.ts";
import { sessionVerbs } from "./sessions.ts";
import { signRequestVerbs } from "./sign-requests.ts";
import { openSqlite } from "./sqlite/node-sqlite.ts";
import { sqlitePathOf } from "./sqlite/sqlite-path.ts";
import type { Store } from "./store.ts";
import { updateAside } from "./sqlite/update-aside.ts";
import { isComplete } from "./settlement-sums.ts";
import { startSummingHistory, type HistorySumming } from "./sum-history.ts";
import { walletVerbs } from "./wallets.ts";
import { webhookVerbs } from "./webhooks.ts";

/** What a store may be given. */
export interface StoreOptions {
  /** Who takes part in settlements, in this order; the service's own when left out. */
  readonly participants?: readonly SettlementParticipant[];
  readonly log?: Log;
  readonly limits?: PostgresLimits;
}

/** A store that has to be opened before anything else is asked of it; it is closed in any case. */
export interface ClosedStore extends Store {
  /** Brings the schema up to date. Throws `storage_unavailable`. */
  open(): Promise<void>;
}

/**
 * Opens `sqlite:/path/to/file`, `sqlite::memory:` or `postgres://…`. Throws `storage_unavailable`,
 * or `configuration` for anything else.
 */
export async function openStore(databaseUrl: string, options: StoreOptions = {}): Promise<Store> {
  const store = createStore(databaseUrl, options);
  try {
    await store.open();
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** Names a database without asking it anything. Throws as `openStore` does for a wrong URL or path. */
export function createStore(databaseUrl: string, options: StoreOptions = {}): ClosedStore {
  const { participants = serviceParticipants } = options;
  const engine = engineOf(databaseUrl, options);
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  // Without row locks there is one writer, and transactions wait for each other anyway.
  const commitTogether = engine.hasRowLocks ? undefined : createGroupCommit(db);
  const database = { db, engine, commitTogether };
  const { changes } = engine;
  let indexing: LateIndexing | undefined;
  let summing: HistorySumming | undefined;
  const retention = retentionVerbs(database, participants);
  const verbs = guard({
    ...settlementVerbs(database, participants),
    ...transitionMethods(database, participants),
    ...laneVerbs(database),
    ...relayerVerbs(database),
    ...repairVerbs(database),
    ...payerPauseVerbs(database),
    ...revertedVerbs(database),
    ...accountVerbs(database),
    ...signRequestVerbs(database),
    ...sessionVerbs(database),
    ...walletVerbs(database),
    ...apiKeyVerbs(database),
    ...creditVerbs(database),
    ...purchaseVerbs(database),
    ...historyVerbs(database),
    ...webhookVerbs(database),
    ...listingVerbs(database),
    ...failureWatchVerbs(database),
    ...carryingWalletVerbs(database),
    ...exchangeCountVerbs(database),
    ...claimingCallVerbs(database),
    ...identifierVerbs(database),
    ...retention,
    ...keylessVerbs(database),
    ...revertedGasVerbs(database),
    pruneSettlements: async (...given: Parameters<Store["pruneSettlements"]>) =>
      // Nothing can be removed until the sums have it, so nothing is looked for either.
      (await isComplete(database)) ? retention.pruneSettlements(...given) : nothing,
    announceSent: (ids: readonly string[]) => changes.announce(db, { kind: "sent", ids }),
    announceUnserved: (ids: readonly string[]) => changes.announce(db, { kind: "unserved", ids }),
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    open: async () => {
      try {
        await updateAside(database, options.log ?? silentLog);
        await migrate(database);
        await recordParticipants(
          database,
          participants.map(({ name }) => name),
        );
        await changes.start();
        indexing = await startLateIndexes(database, options.log ?? silentLog);
        summing = await startSummingHistory(database, options.log ?? silentLog);
      } catch (error) {
        throw explained(error, databaseUrl);
      }
    },
    close: async () => {
      await indexing?.stop();
      await summing?.stop();
      await changes.stop();
      await db.destroy();
      engine.exchangeFile?.close();
    },
  });
  return { ...verbs, onChange: changes.onChange };
}

/** A start that failed for want of the database itself says which one, why, and what to do. */
function explained(error: unknown, databaseUrl: string): unknown {
  const problem = findDatabaseProblem(error);
  if (!problem) return error;
  const { text, fix } = problem;
  const message = `The database cannot be used (${databasePlace(databaseUrl)}): ${text}; ${fix}`;
  return new Fault("storage_unavailable", message, { cause: error });
}

/** The engine of a database. Throws `configuration`, or `storage_unavailable` for a file. */
export function engineOf(
  databaseUrl: string,
  options: StoreOptions & { readonly isReadOnly?: boolean },
): Engine {
  const { log = silentLog, limits } = options;
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) return openPostgres(databaseUrl, log, limits);
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

type Verbs = Readonly<Record<string, (...parameters: never[]) => Promise<unknown>>>;

/** Turns every error of the database into the one fault that the layers above know. */
function guard<T extends Verbs>(verbs: T): T {
  return new Proxy(verbs, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== "function") return verb;
      return async (...parameters: unknown[]) => {
        try {
          return await Reflect.apply(verb, target, parameters);
        } catch (error) {
          if (error instanceof Fault) throw error;
          const message = `The database failed at ${String(name)}`;
          throw new Fault("storage_unavailable", message, { cause: error });
        }
      };
    },
  });
}
