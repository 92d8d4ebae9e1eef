/**
 * A second PostgreSQL server for reads that may be some seconds old, such as a standby. While it fails
 * or is too far behind, these reads go to the first server.
 */
import { Kysely, sql } from "kysely";
import { steadyClockOf, systemClock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { explainDatabaseError } from "./database-problem.ts";
import type { Database } from "./dialect.ts";
import { openPostgres } from "./postgres/open-postgres.ts";
import type { Tables } from "./schema.ts";

/**
 * How far it may be behind. A service that is idle writes every three seconds, so less would be noise;
 * people who read a list do not notice more.
 */
const lagMsMax = 10_000;

/** How often its lag is read; the statement takes well below a millisecond. */
const lagEveryMs = 1_000;

/** After a failure it is left alone so long: a read that finds it gone waits for a connection. */
const restMs = 30_000;

export type ReadServer = ReturnType<typeof createReadServer>;

/** Sends nothing yet. Throws `configuration` for a wrong URL. */
export function createReadServer(url: string, log: Log) {
  const engine = open(url, log);
  const database: Database = { db: new Kysely<Tables>({ dialect: engine.dialect }), engine };
  const steady = steadyClockOf(systemClock);
  let restsUntilMs = 0;
  let isUnused = false;
  let measuredAtMs = Number.NEGATIVE_INFINITY;
  let measuring: Promise<void> | undefined;

  async function measure(): Promise<void> {
    const { rows } = await sql<{ lag: number | string }>`
      select case when pg_is_in_recovery() then extract(epoch from
        clock_timestamp() - coalesce(pg_last_xact_replay_timestamp(), 'epoch')) * 1000
      else 0 end as lag`.execute(database.db);
    measuredAtMs = steady.nowMs();
    const lagMs = Number(rows[0]?.lag ?? 0);
    if (lagMs <= lagMsMax) return;
    const behind = `it is ${Math.round(lagMs / 1000)} s behind`;
    throw new Fault("storage_unavailable", behind);
  }

  /** One measurement at a time, however many reads there are. */
  async function demandFresh(): Promise<void> {
    if (steady.nowMs() - measuredAtMs < lagEveryMs) return;
    measuring ??= measure().finally(() => (measuring = undefined));
    await measuring;
  }

  function leave(error: unknown): void {
    restsUntilMs = steady.nowMs() + restMs;
    if (isUnused) return;
    isUnused = true;
    const problem = error instanceof Fault ? error.message : explainDatabaseError(error).text;
    const fields = { event: "read_server_left", problem };
    log.warn(fields, "Read server left out; lists are read from the database of DATABASE_URL");
  }

  function noteUsed(): void {
    if (isUnused) log.info({ event: "read_server_used" }, "Read server used again");
    isUnused = false;
  }

  return {
    /** For the stores of features. Nothing may be written to it. */
    database,
    /** Reads from this server, or with `instead` from the first one. Throws as `instead` does. */
    async read<T>(here: () => Promise<T>, instead: () => Promise<T>): Promise<T> {
      if (steady.nowMs() < restsUntilMs) return instead();
      try {
        await demandFresh();
        const result = await here();
        noteUsed();
        return result;
      } catch (error) {
        leave(error);
        return instead();
      }
    },
    /** Throws a fault of the server, or when it is too far behind. */
    check: measure,
    close: () => database.db.destroy(),
  };
}

function open(url: string, log: Log) {
  try {
    return openPostgres(url, log);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const message = error.message.replace("DATABASE_URL", "DATABASE_READ_URL");
    throw new Fault(error.code, message, { retryable: false });
  }
}
