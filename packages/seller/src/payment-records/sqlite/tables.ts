/** The tables of payment records in SQLite: in a file, and in a Durable Object. */
import { minOverMs } from "../retention.ts";

export type Value = string | number | bigint | null | Uint8Array<ArrayBuffer>;
export type Row = Record<string, Value>;

/** A database with the tables. Its calls are synchronous. */
export interface Database {
  get(text: string, ...values: Value[]): Row | undefined;
  all(text: string, ...values: Value[]): readonly Row[];
  run(text: string, ...values: Value[]): void;
  /** Runs `work` in an exclusive transaction; "soon": a power cut may undo it. */
  transaction<T>(work: () => T, strength: "surely" | "soon"): T;
  /**
   * Runs `work` in one transaction with what other requests want at the same time, "surely" where one of
   * them wants that. Work that throws changes nothing.
   */
  together<T>(work: () => T, strength: "surely" | "soon"): Promise<T>;
}

/** The first version. Triggers keep the totals, so that no statement can forget them. */
export const firstVersion = `
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
export const secondVersion = `
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
`;

/** Added to databases of every version, which earlier versions may open again. `payment`, `state` and `entry` are JSON. */
const laterTables = `
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
create index if not exists passes_by_payer on passes (lower(json_extract(payment, '$.payer')), scope);

-- Counted by triggers, because each payment asks whether there is room for its pass.
create table if not exists pass_total (entries integer not null) strict;
insert into pass_total select (select count(*) from passes)
  where not exists (select 1 from pass_total);
create trigger if not exists pass_made after insert on passes begin
  update pass_total set entries = entries + 1;
end;
create trigger if not exists pass_gone after delete on passes begin
  update pass_total set entries = entries - 1;
end;

create table if not exists kept (
  key text primary key,
  value text not null,
  until_ms integer not null
) strict;
create index if not exists kept_by_end on kept (until_ms);

create table if not exists balances (
  id text primary key,
  -- Counts the changes.
  version integer not null,
  state text not null
) strict;
create table if not exists channels (
  id text primary key,
  -- Another one after each change, also of a channel that was forgotten in between.
  version integer not null,
  state text not null,
  -- Whether more of it is known here than the chain tells.
  is_kept integer not null,
  is_unclaimed integer not null,
  is_unvaulted integer not null,
  held_until_ms integer not null
) strict;
create index if not exists channels_unclaimed on channels (id) where is_unclaimed = 1;
create index if not exists channels_unvaulted on channels (id) where is_unvaulted = 1;
create table if not exists balance_entries (
  nth integer primary key,
  balance_id text not null,
  name text not null,
  entry text not null,
  unique (balance_id, name)
) strict;
`;

/** Adds what came after the second version. `run` executes any number of statements. */
export function addLater(database: Pick<Database, "get">, run: (text: string) => void): void {
  run(laterTables);
  const column = "select name from pragma_table_info('grants') where name = ";
  if (!database.get(`${column}'format'`)) {
    run("alter table grants add column format integer not null default 1");
  }
  if (!database.get(`${column}'facilitator'`))
    run("alter table grants add column facilitator text");
}
