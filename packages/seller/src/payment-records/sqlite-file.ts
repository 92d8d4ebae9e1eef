/** The SQLite file with the payment records: its schema, and transactions of two strengths. */
import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from "node:sqlite";
import { minOverMs } from "./retention.ts";

export type Row = Record<string, SQLOutputValue>;
export type Value = SQLInputValue;

export type Database = ReturnType<typeof openRecords>;

/** The number in `pragma user_version`. Earlier files are migrated; later ones are not touched. */
const schemaVersion = 2;

/** The first version. Triggers keep the totals, so that no statement can forget them. */
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
  -- When a delivered response is forgotten; 0 before its delivery.
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

/** `opener` is JSON. Version 1 leaves `dispensable_from_ms` at the year 9999. */
const secondVersion = `
alter table grants add column exchange text;
alter table grants add column opener text;
alter table grants add column dispensable_from_ms integer not null default 253402300799000;
update grants set dispensable_from_ms = valid_before_ms + ${minOverMs} where state = 'settling';
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

/** Added to files of every version, which earlier versions may open again. `payment` is JSON. */
const passes = `
create table if not exists passes (
  id text primary key,
  token_hash text not null,
  scope text not null,
  uses integer not null,
  uses_left integer not null check (uses_left between 0 and uses),
  expires_at_ms integer not null,
  is_void integer not null default 0,
  is_final integer not null,
  payment text not null
) strict;
create index if not exists passes_by_end on passes (expires_at_ms);
`;

/** Opens the file, which is created when there is none. */
export function openRecords(path: string, busyTimeoutMs: number) {
  keepPrivate(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  // Bounded: all texts come from this package.
  const statements = new Map<string, StatementSync>();
  const prepare = (text: string): StatementSync => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  let strengthNow = "";
  const opened = {
    get: (text: string, ...values: Value[]): Row | undefined => prepare(text).get(...values),
    all: (text: string, named: Record<string, Value>): readonly Row[] => prepare(text).all(named),
    run: (text: string, ...values: Value[]): void => void prepare(text).run(...values),
    /** Runs `work` in an exclusive transaction; "soon": a power cut may undo it. */
    transaction<T>(work: () => T, strength: "surely" | "soon"): T {
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
  if (version === schemaVersion) return addLater(database);
  const { tables } = database.prepare("select count(*) as tables from sqlite_schema").get() ?? {};
  const isNew = version === 0 && tables === 0;
  if (!isNew && version !== 1) {
    throw new Error(`${path} is not a file of grants of this version; choose another path.`);
  }
  if (isNew) database.exec(schema);
  database.exec(secondVersion);
  addLater(database);
}

/** Adds what came later; `user_version` stays, because earlier versions may open the file again. */
function addLater(database: DatabaseSync): void {
  database.exec(passes);
  const names = database.prepare("select name from pragma_table_info('grants')").all();
  if (names.some(({ name }) => name === "format")) return;
  database.exec("alter table grants add column format integer not null default 1");
}

/** The file holds paid responses: only its owner reads it. */
const fileMode = 0o600;

/** Rights of users who are neither the owner nor in the file's group. */
const rightsOfOthers = 0o007;

/**
 * Creates the file before SQLite does, which would use the process's umask; its log and its shared
 * memory inherit the rights. An existing file loses the rights of others; those of the group stay,
 * because its operator has granted them.
 */
function keepPrivate(path: string): void {
  if (path === "" || path === ":memory:") return;
  try {
    closeSync(openSync(path, "a", fileMode));
  } catch {
    // SQLite reports why the file cannot be opened.
    return;
  }
  for (const end of ["", "-wal", "-shm"]) takeFromOthers(`${path}${end}`);
}

function takeFromOthers(path: string): void {
  try {
    const { mode } = statSync(path);
    if ((mode & rightsOfOthers) !== 0) chmodSync(path, mode & ~rightsOfOthers & 0o777);
  } catch {
    // It does not exist, or belongs to another user.
  }
}
