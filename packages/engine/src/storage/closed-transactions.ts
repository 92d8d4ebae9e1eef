/**
 * Transactions that are over for good, which PostgreSQL keeps by months. A transaction moves when its
 * signed bytes are removed and all its settlements are over; the newest of each wallet stay, because
 * they tell its nonces. Nothing that a payment waits for reads the months.
 */
import { toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import { sql, type Kysely } from "kysely";
import { inTransaction, type Database } from "./dialect.ts";
import {
  dropMonth,
  hasMonths,
  listMonths,
  prepareMonths,
  restOf,
  type Rescue,
} from "./postgres/months.ts";
import type { Tables } from "./schema.ts";

const months = "closed_transactions";

const columns = sql.raw(
  "id, chain_id, lane, nonce, to_address, gas_limit, gas_price, hash, state, created_at, sent_at, block_number, gas_used, gas_price_paid",
);

/**
 * Old transactions that settlements still name are copied before their month is dropped. Where there
 * are more of them, most of the month is not over, and it stays.
 */
const keptMax = 1_000;

interface MoveTerms {
  readonly below?: number | undefined;
  readonly since: number;
  readonly limit: number;
}

export type ClosedTransactionMethods = ReturnType<typeof closedTransactionMethods>;

export function closedTransactionMethods(database: Database) {
  return {
    /** Makes the months that will be written to; other tables by months are those of features. */
    prepareTransactionMonths: (now: number) => prepareMonths(database, [months], { now }),
    /**
     * Moves transactions that were over only after their bytes had been removed: newest first, from the
     * one below an id or from the newest, of at most `limit` that it looks at. Returns how many it moved,
     * and the last id that it looked at; null when what is left was made before `since`.
     */
    moveClosedTransactions: async (terms: MoveTerms) => {
      if (!hasMonths(database)) return { moved: 0, last: null };
      return inTransaction(database, (inside) => moveBelow(inside, terms));
    },
    /**
     * Drops months that ended before a time, except transactions that settlements still name; returns
     * their number.
     */
    dropTransactionMonths: async (madeBefore: number): Promise<number> => {
      if (!hasMonths(database)) return 0;
      let dropped = 0;
      for (const month of await listMonths(database.db, months)) {
        if (month.to > madeBefore) break;
        if (await dropMonth(database, months, month, keepNamed)) dropped++;
      }
      return dropped;
    },
  };
}

async function moveBelow(inside: Database, { below, since, limit }: MoveTerms) {
  const { rows } = await sql<Record<"id" | "created_at", number | string>>`
    select id, created_at from relayer_transactions
    where id < ${below ?? Number.MAX_SAFE_INTEGER} order by id desc limit ${limit}`.execute(
    inside.db,
  );
  const ids = rows.map(({ id }) => Number(id));
  const moved = await moveClosed(inside, ids);
  const isOver = rows.length < limit || rows.some((row) => Number(row.created_at) < since);
  return { moved: moved.size, last: isOver ? null : (ids.at(-1) ?? null) };
}

/** Moves those transactions that are over for good; returns their ids. */
export async function moveClosed(
  inside: Database,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0 || !hasMonths(inside)) return new Set();
  const { db, engine } = inside;
  const list = engine.list(
    ids.map((of) => ({ of })),
    { of: "bigint" },
  );
  const { rows } = await sql<{ id: number | string }>`
    with moved as (
      delete from relayer_transactions where id in (select given.of from ${list})
      and state in ('mined', 'dropped')
      and exists (select 1 from relayer_transactions as newer
        where newer.chain_id = relayer_transactions.chain_id
          and newer.lane = relayer_transactions.lane and newer.state = 'mined'
          and newer.nonce > relayer_transactions.nonce)
      and not exists (select 1 from transaction_settlements as link
        join settlements on settlements.id = link.settlement_id
        where link.transaction_id = relayer_transactions.id
          and settlements.finalized_at is null
          and (settlements.state <> 'failed' or exists (select 1 from failure_watches
            where failure_watches.settlement_id = settlements.id)))
      returning ${columns})
    insert into closed_transactions (${columns}) select ${columns} from moved
    returning id`.execute(db);
  return new Set(rows.map(({ id }) => Number(id)));
}

/**
 * Brings transactions of a wallet back whose nonces may be unused, and the one below, which tells the
 * wallet's highest used nonce when theirs are reopened.
 */
export async function bringBack(
  { db }: Database,
  chainId: ChainId,
  which: { readonly lane: Address; readonly fromNonce: number; readonly upToBlock: number },
): Promise<void> {
  await sql`
    with taken as (
      delete from closed_transactions
      where chain_id = ${chainId} and lane = ${toLowerHex(which.lane)} and state = 'mined'
        and nonce >= ${which.fromNonce - 1} and block_number <= ${which.upToBlock}
      returning ${columns})
    insert into relayer_transactions (${columns}, data) select ${columns}, '' from taken`.execute(
    db,
  );
}

/** Copies transactions of a month that settlements still name; undefined where they are too many. */
async function keepNamed(db: Kysely<Tables>, part: string): Promise<Rescue | undefined> {
  const { rows } = await sql<{ id: number | string }>`
    select id from ${sql.table(part)} as month
    where exists (select 1 from transaction_settlements where transaction_id = month.id)
    limit ${keptMax + 1}`.execute(db);
  if (rows.length > keptMax) return undefined;
  const ids = sql.join(rows.map(({ id }) => Number(id)));
  return async (inside, old) => {
    if (rows.length === 0) return;
    await sql`insert into ${sql.table(restOf(months))} (${columns})
      select ${columns} from ${sql.table(old)} where id in (${ids})`.execute(inside);
  };
}
