/** Differences of the two databases that Kysely does not cover. */
import {
  Kysely,
  type AliasedRawBuilder,
  type Dialect,
  type Expression,
  type IsolationLevel,
  type RawBuilder,
  type SqlBool,
} from "kysely";
import type { ChangeFeed } from "./changes.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Tables } from "./schema.ts";
import type { ExchangeFile } from "./sqlite/exchange-file.ts";

export type IdType = "integer" | "bigserial";

export type ListColumns<Row> = { readonly [Name in keyof Row]: "text" | "bigint" };

export interface ServerReport {
  /** Host and port, as the URL has them. */
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly isStandby: boolean;
}

/** Questions to the server itself, each on new connections. */
export interface ServerInspection {
  describe(): Promise<ServerReport>;
  /** Throws when one connection does not hear what another one announces. */
  checkNews(): Promise<void>;
}

export interface DatabaseDialect {
  readonly dialect: Dialect;
  /**
   * Opens another connection for migrations and indexes, whose statements may take long; absent
   * where there is one connection only.
   */
  readonly migrationDialect?: () => Dialect;
  /** The path of a database file, which another thread can open too. */
  readonly file?: string;
  readonly idType: IdType;
  readonly isolation?: IsolationLevel;
  /** False for SQLite, which has one writer at a time. */
  readonly hasRowLocks: boolean;
  readonly changes: ChangeFeed;
  /** Absent for a file, which has no server. */
  readonly server?: ServerInspection;
  /** Counts exchanges; absent where the database does it without a log. */
  readonly exchangeFile?: ExchangeFile;
  /**
   * Whether a query has a row, told at once; absent where a server has to be asked. It may see what an
   * open transaction has written, so what it finds is read again.
   */
  hasRow?(query: string, values: readonly (string | number)[]): boolean;
  /** The clock of leases: the database's, where processes of several machines share it. */
  leaseNow(processNow: number): RawBuilder<number>;
  /** Rows as a table named `given`, bound as one value: one statement for any number of rows. */
  list<Row extends object>(
    rows: readonly Row[],
    columns: ListColumns<Row>,
  ): AliasedRawBuilder<Row, "given">;
  /** Locks names until the transaction ends, in one order, so that two holders cannot deadlock. */
  lockNames(db: Kysely<Tables>, names: readonly string[]): Promise<void>;
  /** Whether an owner of leases is connected; absent where all processes run on one machine. */
  isConnected?(owner: Expression<string | null>): RawBuilder<SqlBool>;
  /**
   * Returns whether processes of a version before this schema (a migration's number) are connected.
   * Absent where all processes run on one machine and are replaced together.
   */
  hasOlderProcesses?(db: Kysely<Tables>, schema: string): Promise<boolean>;
  /** Returns whether the database rolled a transaction back only because of a concurrent one. */
  isSerializationFailure(error: unknown): boolean;
}

/** Texts as a table named `given` with the column `of`. */
export function textList<Text extends string>(engine: DatabaseDialect, texts: readonly Text[]) {
  return engine.list(
    texts.map((of) => ({ of })),
    { of: "text" },
  );
}

/** The items that can have a row: all of them, where only a server could tell. */
export function withRow<Item>(
  { hasRow }: DatabaseDialect,
  items: readonly Item[],
  query: string,
  valuesOf: (item: Item) => readonly (string | number)[],
): readonly Item[] {
  return hasRow ? items.filter((item) => hasRow(query, valuesOf(item))) : items;
}

/** A database, in or out of a transaction. */
export interface Database {
  readonly db: Kysely<Tables>;
  readonly engine: DatabaseDialect;
  /** Present where there is one writer: transactions share commits. */
  readonly commitTogether?: GroupCommit | undefined;
}

/** Attempts at a transaction that the database rolls back in favour of another one. */
const triesMax = 3;

export async function inTransaction<T>(
  { db, engine, commitTogether }: Database,
  work: (inside: Database) => Promise<T>,
): Promise<T> {
  if (commitTogether) return commitTogether((inside) => work({ db: inside, engine }));
  const begin = () =>
    engine.isolation ? db.transaction().setIsolationLevel(engine.isolation) : db.transaction();
  for (let tries = 1; ; tries++) {
    try {
      return await begin().execute((transaction) => work({ db: transaction, engine }));
    } catch (error) {
      if (tries === triesMax || !engine.isSerializationFailure(error)) throw error;
    }
  }
}

/** What a method of a store does in its database. */
export type Work<Method extends (...parameters: never[]) => unknown> = (
  inside: Database,
  ...parameters: Parameters<Method>
) => ReturnType<Method>;

/** Makes work a method of a store, in a transaction of its own. */
export function atomic<Args extends unknown[], Result>(
  database: Database,
  work: (inside: Database, ...args: Args) => Promise<Result>,
) {
  return (...args: Args) => inTransaction(database, (inside) => work(inside, ...args));
}

/** Runs work that may take minutes, on a connection without a statement timeout. */
export async function patiently<T>(
  { db, engine }: Database,
  work: (patient: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  if (!engine.migrationDialect) return work(db);
  const patient = new Kysely<Tables>({ dialect: engine.migrationDialect() });
  try {
    return await work(patient);
  } finally {
    await patient.destroy();
  }
}
