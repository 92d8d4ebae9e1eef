/**
 * Divides the tables of a database that an earlier version has filled: an operator's command, which can
 * be stopped and run again. What it has moved is in its place, and what it has not is where it was.
 */
import { sql } from "kysely";
import {
  atomic,
  hasMonths,
  hasParts,
  prepareMonths,
  type Database,
} from "@farthing/engine/storage";
import { before, divideDeliveries, parts } from "./delivery-months-store.ts";

/** About how large a table is, by the server's own statistics. */
export interface TableSize {
  readonly rows: number;
  readonly bytes: number;
}

export interface Undivided {
  /** Transactions outside of months; also those that are not over. */
  readonly transactions: TableSize;
  /** Deliveries of an earlier version; zero once they are divided. */
  readonly deliveries: TableSize;
}

/** Deliveries that are copied while nobody else writes to the table: a second of the database. */
export const waitingMax = 50_000;

/** How long the exchange of the tables waits for its lock, in milliseconds, as do those behind it. */
const lockMs = 2_000;

const nothing: TableSize = { rows: 0, bytes: 0 };

export function divideMethods(database: Database) {
  const { db } = database;
  return {
    /** What there is to move; undefined for SQLite, whose tables are not divided. */
    inspectUndivided: async (): Promise<Undivided | undefined> => {
      if (!hasMonths(database)) return undefined;
      const isDivided = await hasParts(database, parts.all);
      return {
        transactions: await sizeOf(database, "relayer_transactions"),
        deliveries: await sizeOf(database, isDivided ? before : parts.all),
      };
    },
    /** Makes the months of all that there is; false while another process keeps it from some. */
    prepareEarlierMonths: async (now: number): Promise<boolean> => {
      if (!hasMonths(database)) return true;
      const first = sql<{ at: number | string }>`
        select created_at as at from relayer_transactions order by id limit 1`;
      const [transaction] = (await first.execute(db)).rows;
      const from = Number(transaction?.at ?? now);
      const isComplete = await prepareMonths(database, ["closed_transactions"], { from, now });
      if (!(await exists(database, before))) return isComplete;
      const { rows } = await sql<{ at: number | string | null }>`
        select min(created_at) as at from ${sql.table(before)}`.execute(db);
      const terms = { from: Number(rows[0]?.at ?? now), now };
      return (await prepareMonths(database, [parts.ended], terms)) && isComplete;
    },
    /**
     * Puts a table with parts in the place of the deliveries, with those that wait. Returns false where
     * more than {@link waitingMax} wait, which would take too long.
     */
    divideDeliveries: atomic(database, async (inside): Promise<boolean> => {
      if (!hasMonths(inside) || (await hasParts(inside, parts.all))) return true;
      await sql`set local lock_timeout = ${sql.lit(lockMs)}`.execute(inside.db);
      await sql`lock table ${sql.table(parts.all)} in access exclusive mode`.execute(inside.db);
      const waiting = sql`select 1 from ${sql.table(parts.all)} where state = 'pending'
        limit ${waitingMax + 1}`;
      if ((await waiting.execute(inside.db)).rows.length > waitingMax) return false;
      await divideDeliveries(inside.db);
      await sql`with taken as (
          delete from ${sql.table(before)} where state = 'pending' returning *)
        insert into ${sql.table(parts.all)} select * from taken`.execute(inside.db);
      return true;
    }),
    /** Moves earlier deliveries, newest first; returns how many. Drops their table behind the last. */
    moveEarlierDeliveries: atomic(database, async (inside, limit: number): Promise<number> => {
      if (!(await exists(inside, before))) return 0;
      const table = sql.table(before);
      const moved = await sql`with taken as (
          delete from ${table} where id in (select id from ${table}
            order by created_at desc limit ${limit} for update skip locked)
          returning *),
        moved as (insert into ${sql.table(parts.all)} select * from taken returning id)
        select id from moved`.execute(inside.db);
      if (moved.rows.length > 0) return moved.rows.length;
      await sql`set local lock_timeout = ${sql.lit(lockMs)}`.execute(inside.db);
      await sql`lock table ${table} in access exclusive mode`.execute(inside.db);
      // Rows that another run was moving are there again if that has failed.
      const left = await sql`select 1 from ${table} limit 1`.execute(inside.db);
      if (left.rows.length === 0) await sql`drop table ${table}`.execute(inside.db);
      return 0;
    }),
  };
}

async function exists(database: Database, table: string): Promise<boolean> {
  const { db } = database;
  if (!hasMonths(database)) return false;
  const { rows } = await sql<{ is: boolean }>`
    select to_regclass(${table}) is not null as is`.execute(db);
  return rows[0]?.is === true;
}

async function sizeOf({ db }: Database, table: string): Promise<TableSize> {
  const { rows } = await sql<Record<keyof TableSize, number | string>>`
    select greatest(reltuples, 0)::bigint as rows, pg_total_relation_size(oid) as bytes
    from pg_class where oid = to_regclass(${table})`.execute(db);
  const [row] = rows;
  return row ? { rows: Number(row.rows), bytes: Number(row.bytes) } : nothing;
}
