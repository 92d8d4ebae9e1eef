/**
 * SQLite through Node's own driver, in the shape of Kysely's SQLite dialect. One file, write-ahead
 * log, and a synced write for every commit: acknowledged writes survive power loss.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { useWriteAheadLog } from "@farthing/protocol";
import { sql, SqliteAdapter, SqliteDialect, type SqliteDatabase } from "kysely";
import { assert } from "../../base/assert.ts";
import { noChanges } from "../changes.ts";
import type { DatabaseDialect, ListColumns } from "../dialect.ts";
import { keepPrivate } from "./private-file.ts";
import { createExchangeFile } from "./exchange-file.ts";

/** A write waits this long for another process (the command line). */
const busyTimeoutMs = 5_000;

/**
 * Pages kept in memory, in KiB: those that a search or a claim touches in a file of any size. The
 * default of 2 MiB reads most of them from the system each time.
 */
const cacheKib = 32_768;

/** The store has a few dozen texts; lists of values make more. */
const statementsMax = 256;

/**
 * SQLite takes back a `create table` and an `alter table` as well, which Kysely does not rely on. A start
 * that is killed, or that fills the disk, within the missing migrations would leave a half of one, which no
 * later start could complete.
 */
class WholeMigrations extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class DialectOfOneFile extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new WholeMigrations();
  }
}

/** Opens a file, or ":memory:"; a read-only file must exist. */
export function openSqlite(
  path: string,
  options: { readonly isReadOnly?: boolean; readonly busyTimeoutMs?: number } = {},
): DatabaseDialect {
  const { isReadOnly = false, busyTimeoutMs: timeout = busyTimeoutMs } = options;
  if (!isReadOnly) keepPrivate(path);
  const database = new DatabaseSync(path, { timeout, readOnly: isReadOnly });
  database.exec(`pragma cache_size = -${cacheKib}`);
  if (!isReadOnly) {
    useWriteAheadLog(database, timeout);
    database.exec("pragma synchronous = FULL; pragma foreign_keys = ON");
  }
  const adapted = adapt(database);
  return {
    dialect: new DialectOfOneFile({ database: adapted }),
    idType: "integer",
    hasRowLocks: false,
    changes: noChanges,
    ...(path === ":memory:" ? {} : { file: path }),
    exchangeFile: createExchangeFile(path),
    // Every process that can open the file runs on this machine, and reads the same clock.
    leaseNow: (processNow) => sql<number>`${processNow}`,
    list: <Row extends object>(rows: readonly Row[], columns: ListColumns<Row>) => {
      const names = listOf(columns);
      // Rows as arrays: an index is read in half the time of a name.
      const selected = names.map((name, index) => `value ->> ${index} as ${name}`);
      const values = JSON.stringify(rows.map((row) => names.map((name) => row[name])));
      return sql<Row>`(select ${sql.raw(selected.join(", "))} from json_each(${values}))`.as(
        "given",
      );
    },
    hasRow: (query, values) => adapted.prepare(query).hasRow(values),
    lockNames: async () => {},
    isSerializationFailure: () => false,
  };
}

function listOf<Row extends object>(columns: ListColumns<Row>): (keyof Row & string)[] {
  return Object.keys(columns).filter((name): name is keyof Row & string => name in columns);
}

function adapt(database: DatabaseSync) {
  const statements = new Map<string, ReturnType<typeof prepared>>();

  function statementOf(text: string) {
    const known = statements.get(text);
    if (known) return known;
    const statement = prepared(database.prepare(text));
    if (statements.size >= statementsMax) statements.clear();
    statements.set(text, statement);
    return statement;
  }

  return {
    close: () => database.close(),
    // A transaction that reads first and then writes would fail when another process wrote in
    // between; taking the write lock at the start makes it wait instead.
    prepare(text: string) {
      if (text === "begin") return statementOf("begin immediate");
      // A full disk makes SQLite roll back by itself; a second rollback would fail and hide why.
      const isDone = text === "rollback" && !database.isTransaction;
      return statementOf(isDone ? "select 1" : text);
    },
  } satisfies SqliteDatabase;
}

function prepared(statement: StatementSync) {
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => statement.all(...valuesOf(parameters)),
    hasRow: (values: readonly SQLInputValue[]) => statement.get(...values) !== undefined,
    run: (parameters: readonly unknown[]) => statement.run(...valuesOf(parameters)),
    iterate: (parameters: readonly unknown[]) => statement.iterate(...valuesOf(parameters)),
  };
}

function valuesOf(parameters: readonly unknown[]): readonly SQLInputValue[] {
  assert(parameters.every(isSqlValue), "the store binds text, numbers and null only");
  return parameters;
}

function isSqlValue(value: unknown): value is string | number | bigint | null {
  const type = typeof value;
  return type === "string" || type === "number" || type === "bigint" || value === null;
}
