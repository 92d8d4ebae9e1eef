/** A database with years of settlements, filled by SQL past the store; and how large it is. */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";

/** Statements past the store. */
export interface RawDatabase {
  readonly engine: "SQLite" | "PostgreSQL";
  run(statement: string): Promise<void>;
  /** Bytes on the disk, after its own housekeeping. */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a database that a store has made before. */
export async function openRaw(databaseUrl: string): Promise<RawDatabase> {
  return databaseUrl.startsWith("sqlite:") ? openSqlite(databaseUrl) : openPostgres(databaseUrl);
}

function openSqlite(databaseUrl: string): RawDatabase {
  const path = databaseUrl.slice("sqlite:".length);
  const database = new DatabaseSync(path);
  database.exec("pragma synchronous = off; pragma cache_size = -500000");
  // What is filled in is in order: the triggers are put back afterwards.
  const triggers = database
    .prepare("select name, sql from sqlite_master where type = 'trigger'")
    .all();
  for (const { name } of triggers) database.exec(`drop trigger ${String(name)}`);
  return {
    engine: "SQLite",
    run: async (statement) => database.exec(statement),
    size: async () => {
      database.exec("pragma wal_checkpoint(truncate); analyze");
      return statSync(path).size;
    },
    close: async () => {
      for (const { sql } of triggers) database.exec(String(sql));
      database.close();
    },
  };
}

async function openPostgres(databaseUrl: string): Promise<RawDatabase> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  // What is filled in is in order: neither the triggers nor the disk have to see to that.
  await client.query("set session_replication_role = replica; set synchronous_commit = off");
  return {
    engine: "PostgreSQL",
    run: async (statement) => {
      await client.query(statement);
    },
    size: async () => {
      await client.query("vacuum analyze");
      const { rows } = await client.query<{ size: string }>(
        "select pg_database_size(current_database()) as size",
      );
      return Number(rows[0]?.size);
    },
    close: () => client.end(),
  };
}

/** The account that has half of all settlements; the rest belongs to a thousand others. */
export const busySeller = `0x${"5e".repeat(20)}` as const;
export const wallet = `0x${"aa".repeat(20)}` as const;
const accounts = 1_000;

/** Settlements of one statement: some seconds. */
const chunkRows = 50_000;

const dayMs = 24 * 60 * 60 * 1000;
const daysOfHistory = 400;

/** Fills settlements that were confirmed and final, with all that belongs to each. */
export async function fillHistory(raw: RawDatabase, rows: number, now: number): Promise<void> {
  const of = wordsOf(raw.engine);
  await raw.run(`insert into accounts (address, plan, created_at)
    select distinct ${of.seller}, 'active', 1 from ${of.series(0, 2 * accounts)}`);
  await raw.run(`insert into credit_entries (account, kind, credits, actor, created_at)
    select address, 'grant', 1000000000, 'bench', 1 from accounts`);
  for (let from = 1; from <= rows; from += chunkRows) {
    const series = of.series(from, Math.min(rows, from + chunkRows - 1));
    const stepMs = Math.floor((daysOfHistory * dayMs) / rows);
    const at = `(${now - daysOfHistory * dayMs} + n * ${stepMs})`;
    for (const statement of chunk(of, series, at)) await raw.run(statement);
  }
  for (const statement of of.ending) await raw.run(statement);

  await raw.run(`insert into usage_days (account, day, chain_id, outcome, settlements, units, credits)
    select account, created_at / ${dayMs}, chain_id, state, count(*), 10000 * count(*), count(*)
    from settlements group by 1, 2, 3, 4`);
}

/** Sets a table's own numbers behind those that were filled in. */
const sequence = (table: string) =>
  `select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`;

type Words = ReturnType<typeof wordsOf>;

function wordsOf(engine: RawDatabase["engine"]) {
  const isSqlite = engine === "SQLite";
  const hex = (digits: number, of: string) =>
    isSqlite
      ? `'0x' || printf('%0${digits}x', ${of})`
      : `'0x' || lpad(to_hex(${of}), ${digits}, '0')`;
  const sums =
    "insert into credit_balances (account, balance) select account, sum(credits) from credit_entries group by account";
  return {
    hex,
    /** Balances, and numbers that go on. */
    ending: isSqlite
      ? [sums]
      : [sums, sequence("relayer_transactions"), sequence("credit_entries")],
    seller: `(case when n % 2 = 0 then '${busySeller}' else ${hex(40, `1 + n % ${accounts}`)} end)`,
    series: (from: number, to: number) =>
      isSqlite
        ? `(with recursive counted(n) as (select ${from} union all select n + 1 from counted where n < ${to}) select n from counted) as given`
        : `generate_series(${from}::bigint, ${to}) as given(n)`,
  };
}

function chunk({ hex, seller }: Words, series: string, at: string): string[] {
  const id = "'stl_' || substr(" + hex(32, "n") + ", 3)";
  const hash = hex(64, "n");
  return [
    `insert into settlements (id, chain_id, asset, payer, nonce, pay_to, amount, valid_after, valid_before, signature, payer_has_code, seen_unused_at, network_name, key_id, state, transaction_id, transaction_hash, block_number, block_hash, log_index, settled_by, credits, created_at, submitted_at, confirmed_at, finalized_at, account, request_id)
      select ${id}, 50, '${busySeller}', ${hex(40, "7 * n % 100003")}, ${hash}, ${seller}, '10000', '0', '1700000000', '0x', 0, n, 'eip155:50', 'key_of_bench', 'confirmed', n, ${hash}, n, ${hash}, 3, 'relayer', 1, ${at}, ${at}, ${at}, ${at}, ${seller}, 'req_' || n from ${series}`,
    `insert into settlement_claims (settlement_id, caller_hash, is_upfront, has_several, success_told_to)
      select ${id}, 'abcdefghijklmnopqrstuv', 0, 0, 'req_' || n from ${series}`,
    // As they are once their block is final: without the signed bytes.
    `insert into relayer_transactions (id, chain_id, lane, nonce, to_address, data, gas_limit, gas_price, hash, state, created_at, sent_at, block_number, gas_used, gas_price_paid)
      select n, 50, '${wallet}', n, '${busySeller}', '', '120000', '12500000000', ${hash}, 'mined', ${at}, ${at}, n, 86240, '12500000000' from ${series}`,
    `insert into transaction_settlements (transaction_id, settlement_id) select n, ${id} from ${series}`,
    `insert into credit_entries (account, kind, credits, settlement_id, step, created_at)
      select ${seller}, 'hold', -1, ${id}, 1, ${at} from ${series}`,
    `insert into credit_entries (account, kind, credits, settlement_id, step, created_at)
      select ${seller}, 'charge', 0, ${id}, 2, ${at} from ${series}`,
  ];
}
