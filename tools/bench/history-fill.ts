/** Years of settlements, filled in by SQL past the store. */
import type { Address, ChainId } from "@farthing/protocol";
import { engineNames, type HistoryEngine, type RawDatabase } from "./history-database.ts";

/** Whose history it is: the seller's who is measured, carried by the wallets of the service. */
export interface HistoryScene {
  readonly chainId: ChainId;
  readonly token: Address;
  /** The account that has half of all settlements; the rest belongs to a thousand others. */
  readonly seller: Address;
  readonly wallets: readonly Address[];
}

export const dayMs = 24 * 60 * 60 * 1000;

/** The history lies in so many days before now. */
const daysOfHistory = 400;

/** Days of usage that are shown, and for which sales are kept. */
export const daysShown = 30;

const accounts = 1_000;

/** Settlements of one statement: some seconds. */
const chunkRows = 50_000;

/** Listings at least: with as many, each bound of a search and of a page of them is reached. */
const listingsMin = 10_000;

/** One listing for so many settlements, once that is more; an account has 50 at most. */
const settlementsPerListing = 50;
const listingsPerAccount = 50;

/** Words of the listings: one that all have, and one that seven unsold ones have. */
export const commonWord = "weather";
export const rareWord = "needle";
const rareListings = 7;

/** Tells how far it is. */
export type Tell = (line: string) => void;

/** How much is filled in. */
export interface HistoryFill {
  readonly rows: number;
  readonly now: number;
  /** As a version did that kept signed bytes for ever, and knew of no exchanges. */
  readonly isEarlier?: boolean;
  readonly tell?: Tell;
}

/** Fills settlements that were confirmed and final, with all that belongs to each. */
export async function fillHistory(
  raw: RawDatabase,
  scene: HistoryScene,
  { rows, now, isEarlier = false, tell = () => undefined }: HistoryFill,
): Promise<void> {
  const of = wordsOf(raw.engine, scene);
  await raw.run(`insert into accounts (address, plan, created_at)
    select distinct ${of.seller}, 'active', 1 from ${of.series(0, 2 * accounts)}`);
  await raw.run(`insert into credit_entries (account, kind, credits, actor, created_at)
    select address, 'grant', 1000000000, 'bench', 1 from accounts`);
  const stepMs = Math.floor((daysOfHistory * dayMs) / rows);
  const at = `(${now - daysOfHistory * dayMs} + n * ${stepMs})`;
  for (let from = 1; from <= rows; from += chunkRows) {
    const to = Math.min(rows, from + chunkRows - 1);
    const given = { series: of.series(from, to), at, isEarlier };
    for (const statement of chunk(of, scene, given)) await raw.run(statement);
    tell(`${engineNames[raw.engine]}: ${to.toLocaleString("en")} settlements`);
  }
  for (const statement of of.ending) await raw.run(statement);
}

/** Brings the sums of an account's days and of prices in line with the settlements. */
export async function fillSums(raw: RawDatabase, now: number): Promise<void> {
  await raw.run(`insert into usage_days (account, day, chain_id, outcome, settlements, units, credits)
    select account, created_at / ${dayMs}, chain_id, state, count(*), 10000 * count(*), count(*)
    from settlements group by 1, 2, 3, 4`);
  await raw.run(`insert into sales_by_payer (account, chain_id, amount, payer, day, settlements)
    select account, chain_id, amount, payer, created_at / ${dayMs}, count(*)
    from settlements where created_at >= ${now - daysShown * dayMs} group by 1, 2, 3, 4, 5`);
  await raw.run(`insert into sales_by_day (account, chain_id, amount, day, settlements, payers, last_settled_at)
    select account, chain_id, amount, day, sum(settlements), count(distinct payer), (day + 1) * ${dayMs} - 1
    from sales_by_payer group by 1, 2, 3, 4`);
}

/**
 * Fills what both databases show alike, so that the same is read: the seller's days where there are
 * none, and listings, more of them beside a long history.
 */
export async function fillPages(
  raw: RawDatabase,
  scene: HistoryScene,
  { rows, now }: { rows: number; now: number },
): Promise<void> {
  const { hex, series } = wordsOf(raw.engine, scene);
  const today = Math.floor(now / dayMs);
  await raw.run(`insert into usage_days (account, day, chain_id, outcome, settlements, units, credits)
    select '${scene.seller}', n, ${scene.chainId}, 'confirmed', 1, 10000, 1
    from ${series(today - daysShown, today)} where true on conflict do nothing`);
  const listings = Math.max(listingsMin, Math.floor(rows / settlementsPerListing));
  const rare = `n > ${listings - rareListings}`;
  const title = `(case when ${rare} then 'Needle ' else 'Weather ' end) || n`;
  const word = `(case when ${rare} then '${rareWord}' else '${commonWord}' end)`;
  const lister = hex(40, `1 + n / ${listingsPerAccount}`);
  await raw.run(`insert into accounts (address, plan, created_at)
    select distinct ${lister}, 'active', 1 from ${series(1, listings)} where true on conflict do nothing`);
  const url = "'https://shop' || n || '.example/report'";
  await raw.run(`insert into listings (id, account, resource, host, method, chain_id, amount, title, description, tags, sample, search_text, state, passed_at, next_at, failures, message, differences, seen, lease_until, fence, settlements_30d, units_30d, payers_30d, created_at, updated_at)
    select 'lst_' || n, ${lister}, ${url}, 'shop' || n || '.example', 'GET', ${scene.chainId}, '10000', ${title}, 'A report', '[]', '{}', lower(${title} || ' A report ' || ${url}), 'live', 1, ${now + daysOfHistory * dayMs}, 0, '', '[]', '{"bazaar":null}', 0, 0,
      (case when ${rare} then 0 else 1 + n % 1000 end), '0', 0, ${now} - n, ${now} - n from ${series(1, listings)}`);
  for (const one of [word, `cast(n as text)`, "'report'", "'https'", "'shop' || n", "'example'"]) {
    await raw.run(
      `insert into listing_words (word, listing_id) select ${one}, 'lst_' || n from ${series(1, listings)}`,
    );
  }
}

/** Sets a table's own numbers behind those that were filled in. */
const sequence = (table: string) =>
  `select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`;

type Words = ReturnType<typeof wordsOf>;

function wordsOf(engine: HistoryEngine, { seller, wallets }: HistoryScene) {
  const isSqlite = engine === "sqlite";
  const hex = (digits: number, of: string) =>
    isSqlite
      ? `'0x' || printf('%0${digits}x', ${of})`
      : `'0x' || lpad(to_hex(${of}), ${digits}, '0')`;
  const sums =
    "insert into credit_balances (account, balance) select account, sum(credits) from credit_entries group by account";
  const turns = wallets.map((wallet, turn) => `when ${turn} then '${wallet}'`);
  return {
    hex,
    /** Balances, and numbers that go on. */
    ending: isSqlite
      ? [sums]
      : [sums, sequence("relayer_transactions"), sequence("credit_entries")],
    seller: `(case when n % 2 = 0 then '${seller}' else ${hex(40, `1 + n % ${accounts}`)} end)`,
    /** The wallet whose turn it is, and its nonce. */
    wallet: `(case (n - 1) % ${wallets.length} ${turns.join(" ")} end)`,
    nonce: `(n - 1) / ${wallets.length}`,
    series: (from: number, to: number) =>
      isSqlite
        ? `(with recursive counted(n) as (select ${from} union all select n + 1 from counted where n < ${to}) select n from counted) as given`
        : `generate_series(${from}::bigint, ${to}) as given(n)`,
  };
}

/** The nonce that each wallet has next after a history of so many settlements. */
export function nextNonces(rows: number, { wallets }: HistoryScene): ReadonlyMap<Address, number> {
  return new Map(
    wallets.map((wallet, turn) => [wallet, Math.max(0, Math.ceil((rows - turn) / wallets.length))]),
  );
}

/** What is signed for a payment: 65 bytes, as hex. */
const signature = `0x${"ab".repeat(65)}`;

/** A lone transfer's call data, and the transaction around it. */
const callData = `0x${"cd".repeat(292)}`;
const signedTransaction = `0x${"ef".repeat(405)}`;

function chunk(
  { hex, seller, wallet, nonce }: Words,
  { chainId, token }: HistoryScene,
  { series, at, isEarlier }: { series: string; at: string; isEarlier: boolean },
): string[] {
  const id = "'stl_' || substr(" + hex(32, "n") + ", 3)";
  const hash = hex(64, "n");
  // Once their block is final the signed bytes are gone.
  const bytes = isEarlier
    ? { signature, data: callData, raw: `'${signedTransaction}'` }
    : { signature: "0x", data: "", raw: "null" };
  const claims = `insert into settlement_claims (settlement_id, caller_hash, is_upfront, has_several, success_told_to)
      select ${id}, 'abcdefghijklmnopqrstuv', 0, 0, 'req_' || n from ${series}`;
  return [
    `insert into settlements (id, chain_id, asset, payer, nonce, pay_to, amount, valid_after, valid_before, signature, payer_has_code, seen_unused_at, network_name, key_id, state, transaction_id, transaction_hash, block_number, block_hash, log_index, settled_by, credits, created_at, submitted_at, confirmed_at, finalized_at, account, request_id)
      select ${id}, ${chainId}, '${token}', ${hex(40, "7 * n % 100003")}, ${hash}, ${seller}, '10000', '0', '1700000000', '${bytes.signature}', 0, n, 'eip155:${chainId}', 'key_of_bench', 'confirmed', n, ${hash}, n, ${hash}, 3, 'relayer', 1, ${at}, ${at}, ${at}, ${at}, ${seller}, 'req_' || n from ${series}`,
    ...(isEarlier ? [] : [claims]),
    `insert into relayer_transactions (id, chain_id, lane, nonce, to_address, data, gas_limit, gas_price, raw, hash, state, created_at, sent_at, block_number, gas_used, gas_price_paid)
      select n, ${chainId}, ${wallet}, ${nonce}, '${token}', '${bytes.data}', '120000', '12500000000', ${bytes.raw}, ${hash}, 'mined', ${at}, ${at}, n, 86240, '12500000000' from ${series}`,
    `insert into transaction_settlements (transaction_id, settlement_id) select n, ${id} from ${series}`,
    `insert into credit_entries (account, kind, credits, settlement_id, step, created_at)
      select ${seller}, 'hold', -1, ${id}, 1, ${at} from ${series}`,
    `insert into credit_entries (account, kind, credits, settlement_id, step, created_at)
      select ${seller}, 'charge', 0, ${id}, 2, ${at} from ${series}`,
  ];
}
