/** The tables of payment records in PostgreSQL, made where they are missing. */

/** The part of a client, such as a `Pool` of the package `pg`, that is used. */
export interface PostgresClient {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** Runs one statement and returns its rows. */
export type Query = (
  text: string,
  values: unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Names the lock of those who make the tables. Released versions share it, so it stays. */
const lock = 0x66617274;

/** The names of the columns are those of a SQLite file; see `storedNames`. */
const tables = `
create table if not exists farthing_grants (
  key text primary key,
  format integer not null,
  fingerprint text not null,
  payload text not null,
  state text not null check (state in ('claimed', 'settling', 'paid', 'delivered')),
  exchange text,
  opener text,
  receipt text,
  answer_status integer,
  answer_headers text,
  answer_body bytea,
  answer_until_ms bigint not null default 0,
  expires_at_ms bigint not null,
  holder text,
  held_until_ms bigint not null default 0,
  dispensable_from_ms bigint not null default 0
);
-- Asked first, because an alteration waits for all who use the table.
if not exists (select from pg_attribute
    where attrelid = 'farthing_grants'::regclass and attname = 'facilitator') then
  alter table farthing_grants add column facilitator text;
end if;
create index if not exists farthing_grants_by_end on farthing_grants (expires_at_ms);
create index if not exists farthing_grants_by_answer on farthing_grants (answer_until_ms)
  where answer_body is not null;

create table if not exists farthing_tokens (
  id bigint generated always as identity,
  token text primary key,
  payer text,
  expires_at_ms bigint not null
);
create index if not exists farthing_tokens_by_end on farthing_tokens (expires_at_ms);
create unique index if not exists farthing_tokens_by_id on farthing_tokens (id);

create table if not exists farthing_passes (
  id text primary key,
  token_hash text not null,
  scope text not null,
  uses bigint not null,
  uses_left bigint not null check (uses_left between 0 and uses),
  expires_at_ms bigint not null,
  is_void integer not null default 0,
  is_final integer not null,
  payer text not null,
  network text not null,
  payment text not null
);
create index if not exists farthing_passes_by_end on farthing_passes (expires_at_ms);
create index if not exists farthing_passes_by_payer on farthing_passes (payer, scope);

create table if not exists farthing_kept (
  key text primary key,
  value text not null,
  until_ms bigint not null
);
create index if not exists farthing_kept_by_end on farthing_kept (until_ms);

create table if not exists farthing_balances (
  id text primary key,
  version bigint not null,
  state text not null
);
create table if not exists farthing_balance_entries (
  nth bigint generated always as identity primary key,
  balance_id text not null,
  name text not null,
  entry text not null,
  unique (balance_id, name)
);

create table if not exists farthing_channels (
  id text primary key,
  version bigint not null,
  state text not null,
  is_kept boolean not null,
  is_unclaimed boolean not null,
  is_unvaulted boolean not null,
  changed_at_ms bigint not null
);
create index if not exists farthing_channels_unclaimed on farthing_channels (id)
  where is_unclaimed;
create index if not exists farthing_channels_unvaulted on farthing_channels (id)
  where is_unvaulted;
create index if not exists farthing_channels_idle on farthing_channels (changed_at_ms)
  where not is_kept;
`;

/** Rows that are over, and that each insertion deletes: more than it adds, so nothing piles up. */
export const maxSwept = 4;

/** The parameters of one statement. */
export class Values {
  readonly list: unknown[] = [];
  /** Adds a parameter and returns its place in the text. */
  add(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

/** One statement, so that it is one transaction with every driver and pooler. */
export async function createTables(client: PostgresClient): Promise<void> {
  await client.query(`do $do$ begin
    perform pg_advisory_xact_lock(${lock});
    ${tables}
  end $do$`);
}

/** Returns the expression for now: a parameter, or the clock of PostgreSQL when there is no other. */
export function nowOf(
  values: { add(value: unknown): string },
  now: (() => number) | undefined,
): string {
  if (now) return `${values.add(now())}::bigint`;
  return "floor(extract(epoch from statement_timestamp()) * 1000)::bigint";
}
