/**
 * On PostgreSQL, transactions that are over for good move to a table with a part for each month, so
 * that retention drops whole months and the table that payments use stays small. Statements that look
 * for old and new ones read the view `all_transactions`, which SQLite has for the same statements.
 */
import { sql, type Kysely } from "kysely";
import type { IdType } from "../dialect.ts";

/** What a closed transaction keeps: all but its signed bytes and its call. */
const columns =
  "id, chain_id, lane, nonce, to_address, gas_limit, gas_price, hash, state, created_at, sent_at, block_number, gas_used, gas_price_paid";

/** Creates the tables and the view. */
export async function up(db: Kysely<unknown>, idType: IdType): Promise<void> {
  const statements = idType === "integer" ? [] : postgresTables;
  const open = `select ${columns} from relayer_transactions`;
  const closed =
    idType === "integer" ? "" : ` union all select ${columns} from closed_transactions`;
  for (const statement of [...statements, `create view all_transactions as ${open}${closed}`]) {
    await sql.raw(statement).execute(db);
  }
}

const postgresTables: readonly string[] = [
  // The key of a partitioned table contains the time. The id alone stays unique, because a
  // transaction is inserted here by the statement that deletes it there.
  `create table closed_transactions (
    id bigint not null,
    chain_id integer not null,
    lane text not null,
    nonce bigint not null,
    to_address text not null,
    gas_limit text not null,
    gas_price text not null,
    hash text,
    state text not null check (state in ('mined', 'dropped')),
    created_at bigint not null,
    sent_at bigint,
    block_number bigint,
    gas_used bigint,
    gas_price_paid text,
    primary key (id, created_at)
  ) partition by range (created_at)`,
  "create index closed_transactions_hash on closed_transactions (hash)",
  "create index closed_transactions_nonce on closed_transactions (chain_id, lane, nonce)",
  // Takes what no month is there for.
  "create table closed_transactions_rest partition of closed_transactions default",
];
