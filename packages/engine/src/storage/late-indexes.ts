/**
 * Indexes on tables that may be large when a new version starts. A migration would delay the start
 * for as long as the index takes. PostgreSQL creates these in the background while processes read
 * and write; SQLite, which has a single writer in any case, creates them before the service starts.
 * The next start repeats an interrupted creation.
 */
import { Kysely, sql } from "kysely";
import { systemClock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import { silentLog, type Log } from "../base/log.ts";
import type { Database } from "./dialect.ts";
import type { Tables } from "./schema.ts";

/** The condition of public listings, word for word as in the statements. */
const isShown =
  "(state = 'live' or (state = 'failing' and passed_at is not null)) and seen is not null";

interface LateIndex {
  readonly name: string;
  readonly table: string;
  readonly definition: string;
  readonly replaces: string | undefined;
}

/**
 * By table, of the engine or of a feature. SQLite can prove these conditions from a statement with
 * bound values: `state = ?` proves nothing, `failed_at > ?` proves that there is a time.
 * `statements.test.ts` checks that each statement uses its index.
 */
const definitions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  settlements: {
    // Each block reads the settlements that are confirmed and not final yet.
    settlements_unfinalized:
      "(chain_id, block_number) where finalized_at is null and block_number is not null",
    // An account's reserved credits, and its history by state or network.
    settlements_by_state: "(account, chain_id, state, created_at, id) where account is not null",
    settlements_by_payer: "(account, payer, created_at, id) where account is not null",
    settlements_by_key: "(account, key_id, created_at, id) where account is not null",
    settlements_by_transaction:
      "(transaction_hash) where account is not null and transaction_hash is not null",
    // A confirmation clears the time of a failure.
    settlements_failed: "(chain_id, failed_at, id) where failed_at is not null",
    // Settlements of third parties, which retention finds by this index alone.
    settlements_elsewhere: "(chain_id, confirmed_at, id) where settled_by = 'other'",
  },
  relayer_transactions: {
    // Closed transactions with signed bytes: those of the last blocks, whose nonces a
    // reorganisation may reopen.
    relayer_transactions_bytes:
      "(chain_id, block_number) where raw is not null and block_number is not null",
    // The highest mined nonce, without reading those below.
    relayer_transactions_state: "(chain_id, lane, state, nonce)",
  },
  webhook_endpoints: {
    webhook_endpoints_working: "(account) where disabled_at is null",
  },
  webhook_deliveries: {
    // Due deliveries of each endpoint, without reading other endpoints'.
    webhook_deliveries_pending: "(endpoint_id, next_at) where state = 'pending'",
    webhook_deliveries_created: "(created_at)",
    webhook_deliveries_state: "(endpoint_id, state, created_at)",
    webhook_deliveries_delivered: "(endpoint_id, delivered_at) where delivered_at is not null",
  },
  credit_purchases: {
    credit_purchases_updated: "(state, updated_at, id)",
    credit_purchases_expiry: "(state, expires_at, id)",
    credit_purchases_open: "(account) where state = 'awaiting_payment'",
  },
  listings: {
    // A blocked listing is always due and never checked.
    listings_check: "(next_at) where state <> 'blocked'",
    listings_shown: `(created_at, id) where ${isShown}`,
    listings_shown_network: `(chain_id, created_at, id) where ${isShown}`,
    listings_shown_bazaar: `(created_at, id) where ${isShown} and seen not like '%"bazaar":null%'`,
    // By the type of the resource: the sample of a tool has nothing else.
    listings_shown_http: `(created_at, id) where ${isShown} and sample not like '{"tool":%'`,
    listings_shown_mcp: `(created_at, id) where ${isShown} and sample like '{"tool":%'`,
    listings_shown_best: `(settlements_30d desc, created_at, id) where ${isShown}`,
  },
};

/** Indexes of earlier versions that are dropped once these exist. */
const replacedBy: Readonly<Record<string, string>> = {
  // Counters replaced reads of a payer's settlements.
  settlements_by_state: "settlements_capped",
  relayer_transactions_state: "relayer_transactions_lane",
  webhook_deliveries_pending: "webhook_deliveries_due",
  credit_purchases_updated: "credit_purchases_state",
  listings_check: "listings_due",
  listings_shown: "listings_newest",
};

export const lateIndexes: readonly LateIndex[] = Object.entries(definitions).flatMap(
  ([table, indexes]) =>
    Object.entries(indexes).map(([name, definition]) => {
      return { name, table, definition, replaces: replacedBy[name] };
    }),
);

/** The indexes that the next start creates, in its order. */
export async function listMissingIndexes({ db, engine }: Database): Promise<LateIndex[]> {
  const names = engine.migrationDialect
    ? sql<{ name: string }>`
        select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indisvalid`
    : sql<{ name: string }>`select name from sqlite_master where type = 'index'`;
  const there = new Set((await names.execute(db)).rows.map(({ name }) => name));
  return lateIndexes.filter(({ name }) => !there.has(name));
}

/** Returns whether an index is usable; it is where indexes are created before the start. */
export async function hasLateIndex({ db, engine }: Database, name: string): Promise<boolean> {
  if (!engine.migrationDialect) return true;
  return (await findIndex(db, name))?.valid === true;
}

/** Finds an index on PostgreSQL; an unfinished or interrupted one is not valid. */
async function findIndex(db: Kysely<Tables>, name: string) {
  const found = sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`;
  return (await found.execute(db)).rows[0];
}

/** The parts of a PostgreSQL table that has any, without those that only have parts. */
async function listParts(db: Kysely<Tables>, table: string): Promise<string[]> {
  const found = sql<{ name: string }>`
    select relid::regclass::text as name from pg_partition_tree(to_regclass(${table}))
    where isleaf`;
  return (await found.execute(db)).rows.map(({ name }) => name);
}

/** Creates an index while others write to the table. */
async function createBeside(
  db: Kysely<Tables>,
  name: string,
  table: string,
  definition: string,
): Promise<void> {
  const there = await findIndex(db, name);
  if (there?.valid) return;
  // An interrupted creation leaves an index that is maintained and never used.
  if (there) await sql.raw(`drop index concurrently if exists ${name}`).execute(db);
  await sql.raw(`create index concurrently ${name} on ${table} ${definition}`).execute(db);
}

/** The pause before another attempt, in milliseconds. */
const retryMs = 60_000;

/** Names the lock under which one process at a time creates indexes or parts; any constant. */
export const lockNumber = 4_020_050;

/**
 * Creates missing indexes. Resolves when it is done, or at once on a PostgreSQL table with rows:
 * then it returns a function that cancels the creation, which the next start repeats.
 */
export async function startLateIndexes({ db, engine }: Database, log: Log) {
  if (!engine.migrationDialect) return createBefore(db, log);
  // No other process waits for a new database yet, so its indexes are created before it opens.
  if (await isEmpty(db)) return createOnEmpty(db);
  const indexer = new Indexer(new Kysely<Tables>({ dialect: engine.migrationDialect() }), log);
  const work = indexer.run();
  return async () => {
    await indexer.cancel(db);
    await work;
  };
}

async function isEmpty(db: Kysely<Tables>): Promise<boolean> {
  const row = await db.selectFrom("settlements").select("id").limit(1).executeTakeFirst();
  return row === undefined;
}

/** Concurrent starts wait milliseconds for each other on an empty table. */
async function createOnEmpty(db: Kysely<Tables>): Promise<undefined> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(transaction);
    await createAtOnce(transaction, lateIndexes);
  });
}

async function createAtOnce(db: Kysely<Tables>, which: readonly LateIndex[]): Promise<void> {
  for (const { name, table, definition, replaces } of which) {
    await sql.raw(`create index if not exists ${name} on ${table} ${definition}`).execute(db);
    if (replaces) await sql.raw(`drop index if exists ${replaces}`).execute(db);
  }
}

/** Creates missing indexes before the start and logs it, because it may take minutes. */
export async function createBefore(db: Kysely<Tables>, log: Log): Promise<undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'index'`.execute(db);
  const there = new Set(rows.map(({ name }) => name));
  const startLog = (await isEmpty(db)) ? silentLog : log;
  for (const index of lateIndexes) {
    const { replaces } = index;
    if (there.has(index.name) && (replaces === undefined || !there.has(replaces))) continue;
    const fields = { index: index.name, table: index.table };
    startLog.info({ event: "index_creation_started", ...fields }, "Index creation started");
    await createAtOnce(db, [index]);
    startLog.info({ event: "index_created", ...fields }, "Index created");
  }
}

/** Creates indexes on its own connection, one process at a time. */
class Indexer {
  readonly #db: Kysely<Tables>;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  /** The server process that runs the statement. */
  #backend: number | undefined;

  constructor(db: Kysely<Tables>, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (await this.#createMissing()) break;
      } catch (error) {
        if (signal.aborted) break;
        const fields = { event: "index_creation_failed", problem: messageOf(error) };
        this.#log.warn(fields, "Index creation failed; retrying in a minute");
      }
      await systemClock.sleep(retryMs, signal);
    }
    await this.#db.destroy();
  }

  async cancel(db: Kysely<Tables>): Promise<void> {
    this.#stopping.abort();
    if (this.#backend === undefined) return;
    await sql`select pg_cancel_backend(${this.#backend})`.execute(db).catch(() => undefined);
  }

  /** Returns false while another process creates them. */
  #createMissing(): Promise<boolean> {
    return this.#db.connection().execute(async (connection) => {
      const lock = sql<{ taken: boolean; backend: number }>`
        select pg_try_advisory_lock(${lockNumber}) as taken, pg_backend_pid() as backend`;
      const [held] = (await lock.execute(connection)).rows;
      if (!held?.taken) return false;
      this.#backend = held.backend;
      try {
        for (const index of lateIndexes) await this.#create(connection, index);
        return true;
      } finally {
        this.#backend = undefined;
        await sql`select pg_advisory_unlock(${lockNumber})`.execute(connection);
      }
    });
  }

  async #create(connection: Kysely<Tables>, index: LateIndex): Promise<void> {
    const { name, table, definition, replaces } = index;
    const there = await findIndex(connection, name);
    if (there?.valid || this.#stopping.signal.aborted) return;
    const fields = { index: name, table };
    this.#log.info({ event: "index_creation_started", ...fields }, "Index creation started");
    const parts = await listParts(connection, table);
    for (const part of parts) {
      await createBeside(connection, `${part}${name.slice(table.length)}`, part, definition);
    }
    if (parts.length === 0) await createBeside(connection, name, table, definition);
    // A table with parts takes over the indexes of its parts, and reads nothing.
    else
      await sql
        .raw(`create index if not exists ${name} on ${table} ${definition}`)
        .execute(connection);
    if (replaces) {
      await sql.raw(`drop index concurrently if exists ${replaces}`).execute(connection);
    }
    this.#log.info({ event: "index_created", ...fields }, "Index created");
  }
}
