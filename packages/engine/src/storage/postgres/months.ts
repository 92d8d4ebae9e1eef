/**
 * Tables with a part for each month. Parts are made ahead of time; a row whose month is missing goes
 * to the table's default part, so that no write fails, and moves when its month is made. One process
 * at a time changes the parts of a database.
 */
import { sql, type Kysely } from "kysely";
import { patiently, type Database } from "../dialect.ts";
import { lockNumber } from "../late-indexes.ts";
import type { Tables } from "../schema.ts";

/** A part with the rows that were created in a month of UTC, in milliseconds. */
export interface Month {
  readonly name: string;
  readonly from: number;
  /** The start of the next month. */
  readonly to: number;
}

/**
 * Months made ahead: a service whose attempts fail for two months notices it in its log, and works
 * with the default part meanwhile.
 */
const monthsAhead = 2;

/**
 * How long a change of the parts waits for a lock, in milliseconds. Who comes after it waits behind it,
 * at most this long.
 */
const lockMs = 1_000;

/** The default part of a table by months. */
export const restOf = (table: string) => `${table}_rest`;

/** The month of a time, `later` months after it. */
export function monthAt(table: string, time: number, later = 0): Month {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + later];
  const from = Date.UTC(year, month);
  const [label = ""] = new Date(from).toISOString().split("-01T");
  return { name: `${table}_${label.replace("-", "_")}`, from, to: Date.UTC(year, month + 1) };
}

/** Whether the database keeps by months what is over: SQLite has one table. */
export function hasMonths({ engine }: Database): boolean {
  return engine.migrationDialect !== undefined;
}

/** Returns whether a table has parts. */
export async function hasParts(database: Database, table: string): Promise<boolean> {
  const { db } = database;
  if (!hasMonths(database)) return false;
  const { rows } = await sql<{ kind: string }>`
    select relkind as kind from pg_class where oid = to_regclass(${table})`.execute(db);
  return rows[0]?.kind === "p";
}

/** The months of a table, oldest first. */
export async function listMonths(db: Kysely<Tables>, table: string): Promise<Month[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table}) order by c.relname`.execute(db);
  return rows.flatMap(({ name }) => {
    const [, year, month] = /_(\d{4})_(\d{2})$/.exec(name) ?? [];
    return year === undefined ? [] : [monthAt(table, Date.UTC(Number(year), Number(month) - 1))];
  });
}

/**
 * Makes the missing months from a time to two months after `now`; none where a table has no parts.
 * Returns false where another process creates indexes or parts, so that some are missing still.
 */
export async function prepareMonths(
  database: Database,
  tables: readonly string[],
  { from, now }: { readonly from?: number; readonly now: number },
): Promise<boolean> {
  let isComplete = true;
  for (const table of tables) {
    if (!(await hasParts(database, table))) continue;
    const there = new Set((await listMonths(database.db, table)).map(({ name }) => name));
    const last = monthAt(table, now, monthsAhead);
    for (let later = 0; ; later++) {
      const month = monthAt(table, from ?? now, later);
      if (month.from > last.from) break;
      if (there.has(month.name)) continue;
      isComplete = (await makeMonth(database, table, month)) && isComplete;
    }
  }
  return isComplete;
}

/** Makes a month, unless another process is changing parts. */
async function makeMonth(database: Database, table: string, month: Month): Promise<boolean> {
  const isMade = await changeParts(database, async (db) => {
    const made = new Set((await listMonths(db, table)).map(({ name }) => name));
    if (made.has(month.name)) return true;
    const [part, parent] = [sql.table(month.name), sql.table(table)];
    await sql`create table ${part} (like ${parent} including defaults including constraints)`.execute(
      db,
    );
    // Rows of a month that is made late are in the default part, which must not have any of them.
    await sql`with taken as (delete from ${sql.table(restOf(table))}
        where created_at >= ${month.from} and created_at < ${month.to} returning *)
      insert into ${part} select * from taken`.execute(db);
    const bounds = sql`from (${sql.lit(month.from)}) to (${sql.lit(month.to)})`;
    await sql`alter table ${parent} attach partition ${part} for values ${bounds}`.execute(db);
    return true;
  });
  return isMade ?? false;
}

/** What has to be copied before a month is dropped; it gets the month when that is no part any more. */
export type Rescue = (db: Kysely<Tables>, part: string) => Promise<void>;

/**
 * Drops a month. `findRescue` receives it first, closed to writes; undefined keeps it. Returns false
 * where it stays, or where another process is changing parts.
 */
export async function dropMonth(
  database: Database,
  table: string,
  { name }: Month,
  findRescue: (db: Kysely<Tables>, part: string) => Promise<Rescue | undefined>,
): Promise<boolean> {
  const isDropped = await changeParts(database, async (db) => {
    const there = await listMonths(db, table);
    if (!there.some((month) => month.name === name)) return false;
    const part = sql.table(name);
    await sql`lock table ${part} in share row exclusive mode`.execute(db);
    const rescue = await findRescue(db, name);
    if (!rescue) return false;
    await sql`alter table ${sql.table(table)} detach partition ${part}`.execute(db);
    await rescue(db, name);
    await sql`drop table ${part}`.execute(db);
    return true;
  });
  return isDropped ?? false;
}

/** In a transaction without a limit for its statements, but for their locks. */
async function changeParts<T>(
  database: Database,
  work: (db: Kysely<Tables>) => Promise<T>,
): Promise<T | undefined> {
  return patiently(database, (patient) =>
    patient.transaction().execute(async (db) => {
      await sql`set local lock_timeout = ${sql.lit(lockMs)}`.execute(db);
      const lock = sql<{ taken: boolean }>`
        select pg_try_advisory_xact_lock(${lockNumber}) as taken`;
      const [held] = (await lock.execute(db)).rows;
      return held?.taken ? work(db) : undefined;
    }),
  );
}
