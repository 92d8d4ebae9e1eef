/**
 * Counts the exchanges that were opened with a payment: `/verify` notes them, repeats read them,
 * and they are removed within the hour. PostgreSQL keeps the notes in unlogged tables of the same
 * database, SQLite in a separate file.
 */
import { sql } from "kysely";
import { keyText } from "../model/settlement.ts";
import { findByKeys } from "./claims.ts";
import { inTransaction, type Database, type Work } from "./dialect.ts";
import {
  exchangeKeyOf,
  keyTypes,
  payerPaymentsMax,
  type ExchangeOpening,
  type ExchangeStore,
} from "./exchange-store.ts";
import { forgetIdentifiers } from "./payment-identifiers.ts";
import { toSettlement } from "./rows.ts";
import { settlementColumnList, type SettlementRow } from "./schema.ts";
import type { ExchangeFile } from "./sqlite/exchange-file.ts";

export function exchangeCountMethods(database: Database) {
  const { exchangeFile: file } = database.engine;
  return {
    openExchanges: (openings, now) =>
      file ? openInFile(database, file, openings, now) : openInDatabase(database, openings, now),
    cancelExchanges: async (keys) =>
      file ? file.cancel(keys.map(exchangeKeyOf)) : cancelInDatabase(database, keys),
    forgetExpired: async (now, limit) => {
      if (file) await forgetInFile(database, file, now, limit);
      else await forgetInDatabase(database, now, limit);
      await forgetIdentifiers(database, now, limit);
    },
  } satisfies Partial<ExchangeStore>;
}

async function openInFile(
  database: Database,
  file: ExchangeFile,
  openings: readonly ExchangeOpening[],
  now: number,
): ReturnType<ExchangeStore["openExchanges"]> {
  const known = await findByKeys(database, openings);
  const unclaimed = openings.filter((opening) => !known.has(keyText(opening)));
  const noted = file.open(
    unclaimed.map((opening) => ({ ...exchangeKeyOf(opening), forgetAt: opening.forgetAt })),
    { now, paymentsMax: payerPaymentsMax },
  );
  const isNoted = new Map(unclaimed.map((opening, index) => [opening, noted[index] === true]));
  return openings.map((opening) => {
    const settlement = known.get(keyText(opening));
    if (settlement) return { kind: "claimed", settlement };
    return { kind: isNoted.get(opening) === true ? "opened" : "too_many" };
  });
}

async function forgetInFile(
  database: Database,
  file: ExchangeFile,
  now: number,
  limit: number,
): Promise<void> {
  const old = file.listForgettable(now, limit);
  if (old.length === 0) return;
  const several = old.filter(({ exchanges }) => exchanges > 1);
  if (several.length > 0) await keepSeveral(database, several);
  file.forget(old, now);
}

/** Stores with the settlements that several exchanges were open when they were claimed. */
async function keepSeveral(
  database: Database,
  notes: ReturnType<ExchangeFile["listForgettable"]>,
): Promise<void> {
  const list = database.engine.list(
    notes.map(({ payer, nonce, chain_id, asset, forgetAt: forget_at }) => {
      return { payer, nonce, chain_id, asset, forget_at };
    }),
    { ...keyTypes, forget_at: "bigint" },
  );
  await inTransaction(database, ({ db }) =>
    sql`insert into settlement_claims (settlement_id, is_upfront, has_several)
      select settlements.id, 0, 1 from ${list}
      join settlements on settlements.payer = given.payer and settlements.nonce = given.nonce
        and settlements.chain_id = given.chain_id and settlements.asset = given.asset
      where settlements.created_at < given.forget_at
      on conflict (settlement_id) do update set has_several = 1`.execute(db),
  );
}

/** The openings as a list named `given`, one entry per payment. */
function listOpenings({ engine }: Database, openings: readonly ExchangeOpening[]) {
  const groups = Map.groupBy(openings, keyText);
  // In one order, so that concurrent notes of the same payments cannot deadlock.
  const texts = [...groups.keys()].toSorted();
  const rows = texts.flatMap((key) => {
    const group = groups.get(key) ?? [];
    const [first] = group;
    if (!first) return [];
    const forget_at = Math.max(...group.map(({ forgetAt }) => forgetAt));
    return [{ ...exchangeKeyOf(first), times: group.length, forget_at, key }];
  });
  return engine.list(rows, { key: "text", ...keyTypes, times: "bigint", forget_at: "bigint" });
}

/** A settlement's row, or nulls where there is none, and the result of the note. */
type OpenedRow = SettlementRow & { readonly given_key: string; readonly is_full: boolean };

/** The look-up and the notes in one statement. */
const openInDatabase: Work<ExchangeStore["openExchanges"]> = async (database, openings, now) => {
  const { rows } = await sql<OpenedRow>`
    with given as materialized (select * from ${listOpenings(database, openings)}),
    free as materialized (
      select given.*, coalesce(owner.payments >= ${payerPaymentsMax} and noted.payer is null, false) as is_full
      from given
      left join payment_exchanges as noted using (payer, nonce, chain_id, asset)
      left join payer_exchanges as owner on owner.payer = given.payer
      where not exists (select from settlements
        where settlements.payer = given.payer and settlements.nonce = given.nonce
          and settlements.chain_id = given.chain_id and settlements.asset = given.asset)),
    opened as (
      insert into payment_exchanges as noted (payer, nonce, chain_id, asset, exchanges, forget_at)
      select payer, nonce, chain_id, asset, times, forget_at from free where not is_full
      order by key
      on conflict (payer, nonce, chain_id, asset) do update set
        exchanges = excluded.exchanges + case when noted.forget_at <= ${now} then 0 else noted.exchanges end,
        -- The payer may sign a nonce several times: one that ends earlier must not end the note.
        forget_at = greatest(noted.forget_at, excluded.forget_at)
      -- A row that was inserted, not changed, has no other version.
      returning noted.payer, noted.xmax = 0 as is_new),
    counted as (
      insert into payer_exchanges as owner (payer, payments)
      select payer, count(*) from opened where is_new group by payer order by payer
      on conflict (payer) do update set payments = owner.payments + excluded.payments)
    select given.key as given_key, coalesce(free.is_full, false) as is_full, ${settlementColumnList}
    from given
    left join free on free.key = given.key
    left join settlements on settlements.payer = given.payer and settlements.nonce = given.nonce
      and settlements.chain_id = given.chain_id and settlements.asset = given.asset
  `.execute(database.db);
  const byKey = new Map(rows.map((row) => [row.given_key, row]));
  return openings.map((opening) => {
    const row = byKey.get(keyText(opening));
    // The join leaves nulls where there is no settlement.
    if (row && typeof row.id === "string") {
      return { kind: "claimed", settlement: toSettlement(row) };
    }
    return { kind: row?.is_full === false ? "opened" : "too_many" };
  });
};

const cancelInDatabase: Work<ExchangeStore["cancelExchanges"]> = async (database, keys) => {
  const list = listOpenings(
    database,
    keys.map((key) => ({ ...key, forgetAt: 0 })),
  );
  await inTransaction(database, ({ db }) =>
    sql`update payment_exchanges as noted set exchanges = greatest(0, noted.exchanges - given.times)
      from ${list}
      where noted.payer = given.payer and noted.nonce = given.nonce
        and noted.chain_id = given.chain_id and noted.asset = given.asset`.execute(db),
  );
};

async function forgetInDatabase(database: Database, now: number, limit: number): Promise<void> {
  await inTransaction(database, async ({ db, engine }) => {
    const { rows } = await sql<{ payer: string; payments: number | string }>`
      with old as materialized (
        select payer, nonce, chain_id, asset, exchanges, forget_at from payment_exchanges
        where forget_at <= ${now} order by forget_at limit ${limit} for update skip locked),
      kept as (
        insert into settlement_claims (settlement_id, is_upfront, has_several)
        select settlements.id, 0, 1
        from old join settlements using (payer, nonce, chain_id, asset)
        where old.exchanges > 1 and settlements.created_at < old.forget_at
        on conflict (settlement_id) do update set has_several = 1),
      removed as (
        delete from payment_exchanges as noted using old
        where noted.payer = old.payer and noted.nonce = old.nonce
          and noted.chain_id = old.chain_id and noted.asset = old.asset
        returning noted.payer),
      fewer as (select payer, count(*) as payments from removed group by payer),
      locked as materialized (
        select payer from payer_exchanges where payer in (select payer from fewer)
        order by payer for update)
      update payer_exchanges as owner set payments = owner.payments - fewer.payments
      from fewer join locked using (payer) where owner.payer = fewer.payer
      returning owner.payer, owner.payments`.execute(db);
    const idle = rows.filter(({ payments }) => Number(payments) <= 0);
    if (idle.length === 0) return;
    // By name, so that a payer with a million payments does not make each round read all of them.
    const list = engine.list(
      idle.map(({ payer }) => ({ payer })),
      { payer: "text" },
    );
    await sql`delete from payer_exchanges using ${list}
      where payer_exchanges.payer = given.payer and payer_exchanges.payments <= 0`.execute(db);
  });
}
