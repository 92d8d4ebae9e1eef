/**
 * PostgreSQL through pg. Any number of processes share a database: rows that a method reads and
 * relies on are locked, and leases run by the database's clock. While the database is unavailable
 * every method fails within seconds; the pool reconnects by itself.
 */
import { Pool, type PoolClient, type PoolConfig, type QueryResult } from "pg";
import { PostgresDialect, sql, type PostgresPool, type SqlBool } from "kysely";
import { Fault, messageOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { DatabaseDialect, ListColumns } from "../dialect.ts";
import { migrationNames } from "../migrate.ts";
import { createChangeFeed, presenceName } from "./change-feed.ts";

/** Connections per process: the measured rate falls again above 16, and servers allow about 100. */
const connectionsMax = 12;

/** Timeouts, in milliseconds. */
export interface PostgresLimits {
  /** A connection, new or free: more than a lost packet, less than a caller's patience. */
  readonly connectMs: number;
  /** A statement on the server, or its wait for a lock; the store's take milliseconds. */
  readonly statementMs: number;
  /** An answer: past the server's own limit, so it is the network that is gone. */
  readonly answerMs: number;
  /**
   * The silence of a process within a transaction; then the server gives its locks to others. Ours
   * are silent for milliseconds. Less than half of `statementMs`: whoever waits for the locks of a
   * process that froze, and of another one after it, gets them and no error.
   */
  readonly silentTransactionMs: number;
  /** The time between tries of the connection that only listens: a dead one says nothing. */
  readonly heartbeatMs: number;
}

export const postgresLimits: PostgresLimits = {
  connectMs: 5_000,
  statementMs: 10_000,
  answerMs: 12_000,
  silentTransactionMs: 4_000,
  heartbeatMs: 10_000,
};

/**
 * How the server names our connections, with the schema that this version works with: processes of
 * versions before 0011 say `farthing` alone.
 */
const applicationName = `farthing/${migrationNames.at(-1)?.split("-")[0]}`;

/** The limit of a migration's statement, which may index many settlements. */
const migrationMs = 30 * 60_000;

/** Idle time after which the system asks whether the other side is still there. */
const keepAliveAfterMs = 10_000;

/** Opens a database by its URL; the first connection is made by the first statement. */
export function openPostgres(
  url: string,
  log: Log,
  limits: PostgresLimits = postgresLimits,
): DatabaseDialect {
  if (!URL.canParse(url, "postgres://base")) {
    // Without a cause: the platform's error repeats the URL, and with it the password.
    throw new Fault("configuration", "DATABASE_URL is not a URL; percent-encode its password", {
      retryable: false,
    });
  }
  const connection = {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    query_timeout: limits.answerMs,
  };
  const bounds = {
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.silentTransactionMs,
  };
  return {
    dialect: dialectOf({ ...connection, ...bounds, max: connectionsMax }, log),
    migrationDialect: () => dialectOf({ ...connection, query_timeout: migrationMs, max: 1 }, log),
    idType: "bigserial",
    // Transactions must see what was committed while they waited for a lock.
    isolation: "read committed",
    hasRowLocks: true,
    changes: createChangeFeed(connection, limits.heartbeatMs, log),
    leaseNow: () => sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    list: <Row extends object>(rows: readonly Row[], columns: ListColumns<Row>) => {
      const types = Object.entries(columns).map(([name, type]) => `${name} ${String(type)}`);
      return sql<Row>`(select * from json_to_recordset(${JSON.stringify(rows)}::json) as rows(${sql.raw(types.join(", "))}))`.as(
        "given",
      );
    },
    async lockNames(db, names) {
      if (names.length === 0) return;
      const ordered = JSON.stringify([...new Set(names)].toSorted());
      await sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from json_array_elements_text(${ordered}::json) as name`.execute(
        db,
      );
    },
    isConnected: (owner) =>
      sql<SqlBool>`hashtextextended(${presenceName} || ${owner}, 0) in (select (classid::bigint << 32) | objid::bigint from pg_locks where locktype = 'advisory' and objsubid = 1 and granted and database = (select oid from pg_database where datname = current_database()))`,
    async hasOlderProcesses(db, schema) {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and (application_name = 'farthing'
          or application_name like 'farthing/%' and application_name < ${`farthing/${schema}`})
        limit 1`.execute(db);
      return rows.length > 0;
    },
    // Deadlock and failed serialisation, by PostgreSQL's error codes.
    isSerializationFailure: (error) =>
      error instanceof Error && "code" in error && /^(40P01|40001)$/.test(String(error.code)),
  };
}

function dialectOf(config: PoolConfig, log: Log): PostgresDialect {
  const pool = new Pool(config);
  pool.on("error", (error) => {
    log.warn({ problem: messageOf(error) }, "Lost an idle connection to the database");
  });
  // The pool listens only while a connection is idle; in use, the failing query tells its caller.
  pool.on("connect", (client) => client.on("error", () => {}));
  return new PostgresDialect({ pool: adapt(pool) });
}

/**
 * The pool as Kysely wants it. Statements are not prepared by name: a plan that was made while the
 * tables were empty would be kept, and read them whole when they are full.
 */
function adapt(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => watch(await pool.connect()),
  };
}

/**
 * A connection whose answer did not come in time must not go back to the pool: the next statement
 * would wait behind the lost one.
 */
function watch(client: PoolClient): PoolClient {
  let isLost = false;
  const query = async (text: string, values: unknown[]): Promise<QueryResult> => {
    // The rollback after a lost answer would wait as long again.
    if (isLost) throw new Error("The database did not answer in time");
    try {
      return await client.query(text, values);
    } catch (error) {
      isLost = messageOf(error) === "Query read timeout";
      throw error;
    }
  };
  const release = (destroy?: boolean) => client.release(isLost || destroy);
  return new Proxy(client, {
    get(target, name) {
      if (name === "query") return query;
      if (name === "release") return release;
      return Reflect.get(target, name);
    },
  });
}
