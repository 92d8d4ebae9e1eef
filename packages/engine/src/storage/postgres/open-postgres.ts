/**
 * PostgreSQL through pg. Any number of processes share a database: methods lock rows that they rely
 * on, and leases run by the database's clock. While the database is unavailable every method fails
 * within seconds; the pool reconnects by itself.
 */
import type { Pool, PoolClient, QueryResult } from "pg";
import { PostgresDialect, sql, type PostgresPool, type SqlBool } from "kysely";
import { Fault, messageOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { DatabaseDialect, ListColumns } from "../dialect.ts";
import { migrationNames } from "../migrate.ts";
import { createChangeFeed, presenceName } from "./change-feed.ts";
import { createConnections, type Connections, type PoolSettings } from "./connections.ts";
import { createServerInspection } from "./inspect-server.ts";
import { parsePostgresUrl } from "./postgres-url.ts";

/** The measured rate falls above 16, and servers allow about 100. */
const connectionsMax = 12;

/** Timeouts, in milliseconds. */
export const postgresLimits = {
  /** A connection, new or free: longer than a lost packet, shorter than callers wait. */
  connectMs: 5_000,
  /** A statement on the server, or its wait for a lock; the store's take milliseconds. */
  statementMs: 10_000,
  /** A response: beyond the server's own limit, so the network has failed. */
  answerMs: 12_000,
  /**
   * The silence of a process within a transaction, after which the server releases its locks. This
   * service is silent for milliseconds. Less than half of `statementMs`, so that a process which
   * waits for the locks of two frozen ones in turn gets them and no error.
   */
  silentTransactionMs: 4_000,
  /** The interval of tests of the listening connection, which would not notice its loss. */
  heartbeatMs: 10_000,
};

export type PostgresLimits = typeof postgresLimits;

/**
 * The name of connections on the server, with the schema of this version: processes of versions
 * before 0011 use `farthing` alone.
 */
const applicationName = `farthing/${migrationNames.at(-1)?.split("-")[0]}`;

/** The limit of a migration's statement, which may index many settlements. */
const migrationMs = 30 * 60_000;

/** Idle time after which the system probes the other side. */
const keepAliveAfterMs = 10_000;

/** Creates a database from its URL; the first statement connects. */
export function openPostgres(url: string, log: Log, limits = postgresLimits): DatabaseDialect {
  const servers = parsePostgresUrl(url);
  if ("problem" in servers) {
    throw new Fault("configuration", `DATABASE_URL: ${servers.problem}`, { retryable: false });
  }
  const config = {
    application_name: applicationName,
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    query_timeout: limits.answerMs,
  };
  const connections = createConnections(servers, config, { log, connectMs: limits.connectMs });
  const usual = {
    connectionsMax,
    answerMs: limits.answerMs,
    limits: {
      statement_timeout: limits.statementMs,
      idle_in_transaction_session_timeout: limits.silentTransactionMs,
    },
  };
  const patient = { connectionsMax: 1, answerMs: migrationMs, limits: {} };
  return {
    dialect: dialectOf(connections, usual),
    migrationDialect: () => dialectOf(connections, patient),
    idType: "bigserial",
    // Transactions must see what was committed while they waited for a lock.
    isolation: "read committed",
    hasRowLocks: true,
    server: createServerInspection(connections),
    changes: createChangeFeed(connections, limits.heartbeatMs, log),
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

function dialectOf(connections: Connections, settings: PoolSettings): PostgresDialect {
  return new PostgresDialect({ pool: adapt(connections.createPool(settings), connections) });
}

/**
 * The pool in Kysely's form. Statements are not prepared by name: a plan for empty tables would be
 * kept and read full ones whole.
 */
function adapt(pool: Pool, connections: Connections): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => watch(await connections.take(pool), connections),
  };
}

/**
 * A connection with an overdue response must not return to the pool, where the next statement would
 * wait behind the lost one; nor one to a server that became read-only while another takes writes.
 */
function watch(client: PoolClient, { isMisplaced }: Connections): PoolClient {
  let isLost = false;
  let isLeft = false;
  const query = async (text: string, values: unknown[]): Promise<QueryResult> => {
    // The rollback after a lost response would wait as long again.
    if (isLost) throw new Error("The database did not answer in time");
    try {
      return await client.query(text, values);
    } catch (error) {
      isLost = messageOf(error) === "Query read timeout";
      isLeft ||= isMisplaced(error);
      throw error;
    }
  };
  const release = (destroy?: boolean) => client.release(isLost || isLeft || destroy);
  return new Proxy(client, {
    get(target, name) {
      if (name === "query") return query;
      if (name === "release") return release;
      return Reflect.get(target, name);
    },
  });
}
