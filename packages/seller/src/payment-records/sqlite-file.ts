/** The SQLite file with the payment records: its table, its totals, and transactions of two strengths. */
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from "node:sqlite";
import { keepPrivate } from "./private-file.ts";
import { overMsMin } from "./retention.ts";

/** A row by the names of its columns. */
export type Row = Record<string, SQLOutputValue>;
/** What can be bound to a statement. */
export type Value = SQLInputValue;

/** The file, opened. */
export interface Database {
  get(text: string, ...values: Value[]): Row | undefined;
  all(text: string, named: Record<string, Value>): readonly Row[];
  /** Gives the number of rows that changed. */
  run(text: string, ...values: Value[]): number;
  /**
   * Runs `work` in one transaction that no other process can come between. "surely": on the disk
   * when this returns; "soon": a power cut may forget it, the death of the process does not.
   */
  transaction<T>(work: () => T, strength: "surely" | "soon"): T;
  close(): void;
}

/**
 * The number in `pragma user_version`. A file of an earlier number is brought to this one; a file
 * of a later number was made by a later version of this package and is not touched.
 */
const schemaVersion = 2;

/** Creates everything. Totals are kept by triggers, so that no statement can forget them. */
const schema = `
create table grants (
  id integer primary key,
  key text not null unique,
  fingerprint text not null,
  payload text not null,
  valid_before_ms integer not null,
  state text not null check (state in ('claimed', 'settling', 'paid', 'delivered')),
  receipt text,
  answer_status integer,
  answer_headers text,
  answer_body blob,
  -- When a delivered answer is dropped; 0 before its delivery.
  answer_until_ms integer not null default 0,
  expires_at_ms integer not null,
  holder text,
  held_until_ms integer not null default 0
) strict;
create index grants_by_end on grants (expires_at_ms);
create index grants_by_answer on grants (answer_until_ms) where answer_body is not null;
create index grants_delivered on grants (id) where state = 'delivered';

create table totals (entries integer not null, bytes integer not null) strict;
insert into totals values (0, 0);
create trigger grant_made after insert on grants begin
  update totals set entries = entries + 1;
end;
create trigger grant_gone after delete on grants begin
  update totals set entries = entries - 1, bytes = bytes - coalesce(length(old.answer_body), 0);
end;
create trigger answer_changed after update of answer_body on grants begin
  update totals set bytes =
    bytes + coalesce(length(new.answer_body), 0) - coalesce(length(old.answer_body), 0);
end;
`;

/**
 * From version 1 to 2. `exchange` names the exchange to the facilitator, `opener` holds what the
 * first request showed of its maker (JSON). An open record may be forgotten from
 * `dispensable_from_ms` on when room is needed; processes of version 1 leave that at the year 9999.
 */
const secondVersion = `
alter table grants add column exchange text;
alter table grants add column opener text;
alter table grants add column dispensable_from_ms integer not null default 253402300799000;
update grants set dispensable_from_ms = valid_before_ms + ${overMsMin} where state = 'settling';
update grants set dispensable_from_ms = 0 where state = 'claimed';
create index grants_dispensable on grants (dispensable_from_ms)
  where state in ('claimed', 'settling');

create table tokens (
  id integer primary key autoincrement,
  token text not null unique,
  -- Null when several payers have shown the token.
  payer text,
  expires_at_ms integer not null
) strict;
create index tokens_by_end on tokens (expires_at_ms);
pragma user_version = ${schemaVersion};
`;

/** Opens the file, and makes it when there is none. */
export function openRecords(path: string, busyTimeoutMs: number): Database {
  keepPrivate(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  // A handful of texts, all of them written in this package.
  const statements = new Map<string, StatementSync>();
  const prepare = (text: string): StatementSync => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  let strengthNow = "";
  const opened: Database = {
    get: (text, ...values) => prepare(text).get(...values),
    all: (text, named) => prepare(text).all(named),
    run: (text, ...values) => Number(prepare(text).run(...values).changes),
    transaction(work, strength) {
      if (strength !== strengthNow) {
        database.exec(`pragma synchronous = ${strength === "surely" ? "full" : "normal"}`);
        strengthNow = strength;
      }
      database.exec("begin immediate");
      try {
        const outcome = work();
        database.exec("commit");
        return outcome;
      } catch (error) {
        if (database.isTransaction) database.exec("rollback");
        throw error;
      }
    },
    close: () => database.close(),
  };
  try {
    database.exec("pragma journal_mode = WAL");
    opened.transaction(() => setUp(database, path), "surely");
  } catch (error) {
    database.close();
    throw error;
  }
  return opened;
}

function setUp(database: DatabaseSync, path: string): void {
  const version = database.prepare("pragma user_version").get()?.["user_version"];
  if (version === schemaVersion) return addFormat(database);
  const { tables } = database.prepare("select count(*) as tables from sqlite_schema").get() ?? {};
  const isNew = version === 0 && tables === 0;
  if (!isNew && version !== 1) {
    throw new Error(`${path} is not a file of grants of this version; choose another path.`);
  }
  if (isNew) database.exec(schema);
  database.exec(secondVersion);
  addFormat(database);
}

/**
 * Adds the number of a record's format; those that are there, and those that earlier versions still
 * make, have format 1. `user_version` stays: earlier versions may open the file beside this one, and
 * again after it.
 */
function addFormat(database: DatabaseSync): void {
  const names = database.prepare("select name from pragma_table_info('grants')").all();
  if (names.some(({ name }) => name === "format")) return;
  database.exec("alter table grants add column format integer not null default 1");
}
