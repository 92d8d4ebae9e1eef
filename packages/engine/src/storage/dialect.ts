/** Where the two database engines differ, beyond what Kysely evens out. */
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
import type { ExchangeFile } from "./exchange-store.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Tables } from "./schema.ts";

/** Column type of a self-counting integer key. */
export type IdType = "integer" | "bigserial";

/** What the rows of a list hold. */
export type ListColumns<Row> = { readonly [Name in keyof Row]: "text" | "bigint" };

/** An engine: how to reach it, and its ways. */
export interface Engine {
  readonly dialect: Dialect;
  /**
   * Opens another connection for migrations and indexes, whose statements may take long; left out
   * where there is one connection only.
   */
  readonly patientDialect?: () => Dialect;
  /** The path of a database that is a file, which another thread can open too. */
  readonly file?: string;
  readonly idType: IdType;
  /** What transactions ask for, where there is a choice. */
  readonly isolation?: IsolationLevel;
  /** Whether reading can lock rows. SQLite has one writer at a time: nothing is left to lock. */
  readonly hasRowLocks: boolean;
  readonly changes: ChangeFeed;
  /** Where exchanges are counted; left out where the database itself does it without a log. */
  readonly exchangeFile?: ExchangeFile;
  /** The time by which leases run: the database's, where processes of several machines share it. */
  leaseNow(processNow: number): RawBuilder<number>;
  /** Rows as a table named `given`, bound as one value: the same statement for any number of rows. */
  list<Row extends object>(
    rows: readonly Row[],
    columns: ListColumns<Row>,
  ): AliasedRawBuilder<Row, "given">;
  /** Holds names until the transaction ends; in order, so that two holders cannot block each other. */
  lockNames(db: Kysely<Tables>, names: readonly string[]): Promise<void>;
  /**
   * Whether an owner of leases has appeared and is connected still. Left out where all processes
   * run on one machine, which knows by itself which of them do.
   */
  isConnected?(owner: Expression<string | null>): RawBuilder<SqlBool>;
  /**
   * Whether processes of a version before this schema (the number of its migration) are connected.
   * Left out where all processes run on one machine, and are replaced together.
   */
  hasOlderProcesses?(db: Kysely<Tables>, schema: string): Promise<boolean>;
  /** Whether a transaction that failed so was undone only because of another one. */
  isUndoneByRival(error: unknown): boolean;
}

/** A database as the verbs see it, in or out of a transaction. */
export interface Database {
  readonly db: Kysely<Tables>;
  readonly engine: Engine;
  /** Where there is one writer only: transactions share commits. */
  readonly commitTogether?: GroupCommit | undefined;
}

/** Tries of a transaction that the database undoes in favour of another one. */
const triesMax = 3;

/** Runs work whole or not at all. */
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
      if (tries === triesMax || !engine.isUndoneByRival(error)) throw error;
    }
  }
}

/** Does what may take minutes: on a connection without the limit of a statement, where there is one. */
export async function patiently<T>(
  { db, engine }: Database,
  work: (patient: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  if (!engine.patientDialect) return work(db);
  const patient = new Kysely<Tables>({ dialect: engine.patientDialect() });
  try {
    return await work(patient);
  } finally {
    await patient.destroy();
  }
}
