/**
 * Indexes on tables that may be large already when a new version starts. A migration would keep
 * the service from starting for as long as the index takes, so these are created beside it:
 * PostgreSQL creates them in the background while processes read and write; SQLite, which has a
 * single writer in any case, creates them before the service starts. The next start begins an
 * interrupted creation again.
 */
import { Kysely, sql } from "kysely";
import { systemClock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import { silentLog, type Log } from "../base/log.ts";
import type { Database } from "./dialect.ts";
import type { Tables } from "./schema.ts";

/** What the public sees of listings, word for word as statements ask for it. */
const isShown =
  "(state = 'live' or (state = 'failing' and passed_at is not null)) and seen is not null";

/** What an index covers, as SQL. */
interface LateIndex {
  readonly name: string;
  /** A table of the engine or of a feature. */
  readonly table: string;
  readonly definition: string;
  /** An index of an earlier version that is dropped once this one exists. */
  readonly replaces?: string;
}

/**
 * Conditions are ones that SQLite can prove from a statement with bound values: `state = ?` proves
 * nothing, `failed_at > ?` proves that there is a time. `statements.test.ts` holds each statement to
 * the index that it has here.
 */
export const lateIndexes: readonly LateIndex[] = [
  {
    // Each block asks for the settlements that are confirmed and not final yet.
    name: "settlements_unfinalized",
    table: "settlements",
    definition: "(chain_id, block_number) where finalized_at is null and block_number is not null",
  },
  {
    // Closed transactions whose signed bytes are still there: those of the last blocks, whose nonces
    // a reorganisation may open again.
    name: "relayer_transactions_bytes",
    table: "relayer_transactions",
    definition: "(chain_id, block_number) where raw is not null and block_number is not null",
  },
  {
    // An account's reserved credits, and its history by state or network.
    name: "settlements_by_state",
    table: "settlements",
    definition: "(account, chain_id, state, created_at, id) where account is not null",
    // Nothing reads a payer's settlements since counters keep the limits of payers.
    replaces: "settlements_capped",
  },
  {
    name: "settlements_by_payer",
    table: "settlements",
    definition: "(account, payer, created_at, id) where account is not null",
  },
  {
    name: "settlements_by_key",
    table: "settlements",
    definition: "(account, key_id, created_at, id) where account is not null",
  },
  {
    name: "settlements_by_transaction",
    table: "settlements",
    definition: "(transaction_hash) where account is not null and transaction_hash is not null",
  },
  {
    // A confirmation clears the time of a failure.
    name: "settlements_failed",
    table: "settlements",
    definition: "(chain_id, failed_at, id) where failed_at is not null",
  },
  {
    // What none of our transactions may have carried, and retention finds by this alone.
    name: "settlements_elsewhere",
    table: "settlements",
    definition: "(chain_id, confirmed_at, id) where settled_by = 'other'",
  },
  {
    // The highest nonce that is mined, without reading those below.
    name: "relayer_transactions_state",
    table: "relayer_transactions",
    definition: "(chain_id, lane, state, nonce)",
    replaces: "relayer_transactions_lane",
  },
  {
    name: "webhook_endpoints_working",
    table: "webhook_endpoints",
    definition: "(account) where disabled_at is null",
  },
  {
    // What is due at each endpoint, without reading what is due at the others.
    name: "webhook_deliveries_pending",
    table: "webhook_deliveries",
    definition: "(endpoint_id, next_at) where state = 'pending'",
    replaces: "webhook_deliveries_due",
  },
  {
    name: "webhook_deliveries_created",
    table: "webhook_deliveries",
    definition: "(created_at)",
  },
  {
    name: "webhook_deliveries_state",
    table: "webhook_deliveries",
    definition: "(endpoint_id, state, created_at)",
  },
  {
    name: "webhook_deliveries_delivered",
    table: "webhook_deliveries",
    definition: "(endpoint_id, delivered_at) where delivered_at is not null",
  },
  {
    name: "credit_purchases_updated",
    table: "credit_purchases",
    definition: "(state, updated_at, id)",
    replaces: "credit_purchases_state",
  },
  {
    name: "credit_purchases_expiry",
    table: "credit_purchases",
    definition: "(state, expires_at, id)",
  },
  {
    name: "credit_purchases_open",
    table: "credit_purchases",
    definition: "(account) where state = 'awaiting_payment'",
  },
  {
    // A blocked listing is due for ever, and never checked.
    name: "listings_check",
    table: "listings",
    definition: "(next_at) where state <> 'blocked'",
    replaces: "listings_due",
  },
  {
    name: "listings_shown",
    table: "listings",
    definition: `(created_at, id) where ${isShown}`,
    replaces: "listings_newest",
  },
  {
    name: "listings_shown_network",
    table: "listings",
    definition: `(chain_id, created_at, id) where ${isShown}`,
  },
  {
    name: "listings_shown_bazaar",
    table: "listings",
    definition: `(created_at, id) where ${isShown} and seen not like '%"bazaar":null%'`,
  },
  {
    name: "listings_shown_best",
    table: "listings",
    definition: `(settlements_30d desc, created_at, id) where ${isShown}`,
  },
];

/** Returns whether an index can be used; it can where indexes are created before the start. */
export async function hasLateIndex({ db, engine }: Database, name: string): Promise<boolean> {
  if (!engine.migrationDialect) return true;
  return (await findIndex(db, name))?.valid === true;
}

/** An index on PostgreSQL; one whose creation was interrupted, or still goes on, is not valid. */
async function findIndex(
  db: Kysely<Tables>,
  name: string,
): Promise<{ readonly valid: boolean } | undefined> {
  const { rows } = await sql<{
    valid: boolean;
  }>`select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db);
  return rows[0];
}

const creationStarted = "Index creation started";
const created = "Index created";

/** The pause before an index that could not be created is tried again, in milliseconds. */
const retryMs = 60_000;

/** Names the lock under which one process at a time creates indexes; any constant of our own. */
const lockNumber = 4_020_050;

/** The creation of indexes under way. `stop` cancels it; the next start begins it again. */
export interface LateIndexing {
  stop(): Promise<void>;
}

/** Creates what is missing. Resolves at once on a PostgreSQL table with rows, else when it is done. */
export async function startLateIndexes(database: Database, log: Log): Promise<LateIndexing> {
  const { db, engine } = database;
  if (!engine.migrationDialect) {
    await createBefore(db, log);
    return { stop: async () => undefined };
  }
  // A new database has its indexes before the store is open; no other process waits for it yet.
  const row = await db.selectFrom("settlements").select("id").limit(1).executeTakeFirst();
  if (!row) {
    await createOnEmpty(db);
    return { stop: async () => undefined };
  }
  const indexer = new Indexer(new Kysely<Tables>({ dialect: engine.migrationDialect() }), log);
  const work = indexer.run();
  return {
    async stop() {
      await indexer.cancel(db);
      await work;
    },
  };
}

/** Creates them on an empty table. Processes that start together wait milliseconds for each other. */
function createOnEmpty(db: Kysely<Tables>): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(transaction);
    await createAtOnce(transaction);
  });
}

async function createAtOnce(db: Kysely<Tables>, which = lateIndexes): Promise<void> {
  for (const { name, table, definition, replaces } of which) {
    await sql.raw(`create index if not exists ${name} on ${table} ${definition}`).execute(db);
    if (replaces) await sql.raw(`drop index if exists ${replaces}`).execute(db);
  }
}

/** Creates what is missing before the start goes on, and says so: it may take minutes. */
export async function createBefore(db: Kysely<Tables>, log: Log): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'index'`.execute(db);
  const there = new Set(rows.map(({ name }) => name));
  const row = await db.selectFrom("settlements").select("id").limit(1).executeTakeFirst();
  const told = row ? log : silentLog;
  for (const index of lateIndexes) {
    const { replaces } = index;
    if (there.has(index.name) && (replaces === undefined || !there.has(replaces))) continue;
    const fields = { index: index.name, table: index.table };
    told.info({ event: "index_creation_started", ...fields }, creationStarted);
    await createAtOnce(db, [index]);
    told.info({ event: "index_created", ...fields }, created);
  }
}

/** Creates indexes on a connection of its own, one process at a time. */
class Indexer {
  readonly #db: Kysely<Tables>;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  /** The server's process that works for us, while it does. */
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
      const { rows } = await sql<{
        taken: boolean;
        backend: number;
      }>`select pg_try_advisory_lock(${lockNumber}) as taken, pg_backend_pid() as backend`.execute(
        connection,
      );
      if (!rows[0]?.taken) return false;
      this.#backend = rows[0].backend;
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
    this.#log.info({ event: "index_creation_started", ...fields }, creationStarted);
    // An interrupted creation leaves an index that is kept up to date and never used.
    if (there) await sql.raw(`drop index concurrently if exists ${name}`).execute(connection);
    await sql
      .raw(`create index concurrently ${name} on ${table} ${definition}`)
      .execute(connection);
    if (replaces) {
      await sql.raw(`drop index concurrently if exists ${replaces}`).execute(connection);
    }
    this.#log.info({ event: "index_created", ...fields }, created);
  }
}
