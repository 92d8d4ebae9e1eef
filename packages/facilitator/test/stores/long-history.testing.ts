/** A PostgreSQL database with a long history, filled past the store. */
import { monthOf } from "../../src/features/revenue/participant.ts";
import {
  busyAmount,
  busyEndpoint,
  busyPayer,
  busySeller,
  dayMs,
  scenarioNow,
  swampedEndpoint,
} from "./store-scenario.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";
import { chainId, lane, type StoreBench } from "./store-values.testing.ts";

/** Rows per account other than the busy one: as many listings as an account may have. */
const rowsPerAccount = 50;

const historyDays = 400;

/** The time of row n: rows lie one after the other over the days before the scenario. */
const timeOf = (rows: number) =>
  `(${scenarioNow - historyDays * dayMs} + n * ${((historyDays - 1) * dayMs) / rows}::bigint)`;

/** Makes the months of the history, and those of the scenario. */
export async function prepareMonths(store: ServiceStore): Promise<void> {
  for (let days = historyDays; days >= 0; days -= 28) {
    const time = scenarioNow - days * dayMs;
    await store.prepareTransactionMonths(time);
    await store.prepareDeliveryMonths(time);
  }
}

/** An address that has a number. */
const address = (of: string) => `'0x' || lpad(to_hex(${of}), 40, '0')`;

/** Fills every table that grows with settlements, accounts, listings and deliveries. */
export async function fillHistory({ query }: StoreBench, rows: number): Promise<void> {
  const series = `generate_series(1, ${rows}) as given(n)`;
  const at = timeOf(rows);
  const hash = "'0xdd' || lpad(to_hex(n), 62, '0')";
  const statements = [
    `insert into accounts (address, plan, created_at) values ('${busySeller}', 'active', 1)`,
    `insert into accounts (address, plan, created_at) select ${address("n")}, (case when n % 2 = 0 then 'inactive' else 'active' end), 1 from generate_series(0, ${rows / rowsPerAccount}) as given(n)`,
    // Most failed long ago; the newest are confirmed and final.
    `insert into settlements (id, chain_id, asset, payer, nonce, pay_to, amount, valid_after, valid_before, signature, payer_has_code, seen_unused_at, network_name, key_id, state, transaction_id, transaction_hash, block_number, block_hash, log_index, settled_by, credits, created_at, confirmed_at, finalized_at, failed_at, account)
      select 'old_' || n, ${chainId}, '${busySeller}', (case when n % 4 = 0 then '${busyPayer}' else ${address("n")} end), ${hash}, '${busySeller}', '${busyAmount}', '0', '9', '0x', 0, 1, 'x', 'key_busy',
        (case when n % 3 = 0 and n < ${rows / 2} then 'failed' else 'confirmed' end), n, ${hash}, n, ${hash}, 0, 'relayer', 0, ${at},
        (case when n % 3 = 0 and n < ${rows / 2} then null else ${at} end), ${at}, (case when n % 3 = 0 and n < ${rows / 2} then ${at} end),
        '${busySeller}' from ${series}`,
    `insert into usage_days (account, day, chain_id, outcome, settlements, units, credits) select account, created_at / ${dayMs}, chain_id, state, count(*), 0, 0 from settlements group by 1, 2, 3, 4`,
    `insert into sales_by_payer (account, chain_id, amount, payer, day, settlements) select account, chain_id, amount, payer, created_at / ${dayMs}, count(*) from settlements where state = 'confirmed' group by 1, 2, 3, 4, 5`,
    `insert into sales_by_day (account, chain_id, amount, day, settlements, payers, last_settled_at) select account, chain_id, amount, created_at / ${dayMs}, count(*), 1, 1 from settlements where state = 'confirmed' group by 1, 2, 3, 4`,
    `insert into settlement_books (settlement_id, account, created_at, resource, route, reference, is_counted) select 'old_' || n, '${busySeller}', ${at}, 'https://shop.example/' || n % 100, (case when n % 4 = 0 then 'rare' else 'GET /:id' end), n, 1 from ${series}`,
    `insert into revenue_months (account, chain_id, basis, month, name, settlements, units) select '${busySeller}', ${chainId}, 'payer', ${monthOf(scenarioNow)}, ${address("n")}, 1, n from ${series}`,
    `insert into customers (account, chain_id, payer, settlements, units, first_at, last_at) select '${busySeller}', ${chainId}, ${address("n")}, 1, n, ${at}, ${at} from ${series}`,
    // An account keeps no more than 10,000 calls, however many it has made.
    `insert into api_call_counts (account, recorded) values ('${busySeller}', ${rows})`,
    `insert into api_calls (account, ordinal, request_id, key_id, mode, created_at, method, path, status, duration_ms, asked) select (case when n > ${rows} - 10000 then '${busySeller}' else ${address("n")} end), n, 'old_' || n, 'key_busy', 'test', ${at}, 'POST', '/settle', 200, 1, '{}' from ${series}`,
    // Claimed, as most are after a year.
    `insert into channel_vouchers (chain_id, channel_id, account, config, max_claimable_amount, signature, charged, balance, claimed, withdraw_requested_at, read_at, unclaimed_since, claiming_until) select ${chainId}, ${hash}, '${busySeller}', '{}', '5', '0x', '5', '9', '5', 0, 1, null, 0 from ${series}`,
    // Of channels of strangers nothing is claimed yet, which is looked for every ten seconds.
    `insert into channel_vouchers (chain_id, channel_id, account, config, max_claimable_amount, signature, charged, balance, claimed, withdraw_requested_at, read_at, unclaimed_since, claiming_until) select ${chainId}, '0xee' || lpad(to_hex(n), 62, '0'), ${address("n")}, '{}', '5', '0x', '5', '9', '0', 0, 1, n, 0 from ${series}`,
    // What was claimed for an account has been sent to it, as it has for most.
    `insert into channel_sums (account, chain_id, open, charged, claimed, settled) select ${address("n")}, ${chainId}, 0, 5, 5, 5 from ${series}`,
    `insert into settlement_claims (settlement_id, is_upfront, has_several) select 'old_' || n, 0, 0 from ${series}`,
    `insert into payment_identifiers (name_hash, payment_hash, expires_at) select 'old_' || n, 'x', ${at} + (n % 2) * ${800 * dayMs}::bigint from ${series}`,
    `insert into relayer_transactions (id, chain_id, lane, nonce, to_address, data, gas_limit, gas_price, raw, hash, state, created_at, block_number) select -n, ${chainId}, '${lane}', n, '${busySeller}', '0x', '1', '1', '0x', ${hash}, 'mined', ${at}, n from ${series}`,
    `insert into transaction_settlements (transaction_id, settlement_id) select -n, 'old_' || n from ${series}`,
    // Those of settlements that are gone.
    `insert into closed_transactions (id, chain_id, lane, nonce, to_address, gas_limit, gas_price, hash, state, created_at, block_number) select -n - ${rows}, ${chainId}, '${lane}', n, '${busySeller}', '1', '1', '0xee' || lpad(to_hex(n), 62, '0'), 'mined', ${at}, n from ${series}`,
    `insert into credit_entries (account, kind, credits, actor, created_at) select '${busySeller}', 'grant', 1, 'test', ${at} from ${series}`,
    `insert into credit_purchases (id, account, chain_id, payer, credits, units, state, timeline, created_at, expires_at, updated_at) select 'old_' || n, '${busySeller}', ${chainId}, '${busyPayer}', 1, '1', (case n % 5 when 0 then 'credited' when 1 then 'failed' when 2 then 'expired' when 3 then 'held' else 'canceled' end), '[]', ${at}, ${at}, ${at} from ${series}`,
    `insert into webhook_endpoints (id, account, url, secret, events, created_at, watched_since) values ('${busyEndpoint}', '${busySeller}', 'https://shop.example', 's', '["settlement.confirmed"]', 1, ${scenarioNow - 300 * dayMs})`,
    `insert into webhook_endpoints (id, account, url, secret, events, created_at, watched_since) values ('${swampedEndpoint}', ${address("7")}, 'https://shop.example', 's', '[]', 1, 1)`,
    `insert into webhook_deliveries (id, endpoint_id, account, type, body, state, attempts, next_at, created_at) select 'due_' || n, '${swampedEndpoint}', ${address("7")}, 'test', '{}', 'pending', 0, n, ${scenarioNow} from ${series}`,
    `insert into webhook_endpoints (id, account, url, secret, events, created_at, watched_since, disabled_at) select 'old_' || n, '${busySeller}', 'https://shop.example', 's', '[]', 1, 1, 1 from ${series}`,
    `insert into webhook_deliveries (id, endpoint_id, account, type, body, state, attempts, next_at, created_at, delivered_at) select 'old_' || n, '${busyEndpoint}', '${busySeller}', 'test', '{}', (case when n % 3 = 0 then 'failed' else 'delivered' end), 1, ${at}, ${at}, (case when n % 3 > 0 then ${at} end) from ${series}`,
    `insert into listings (id, account, resource, host, method, chain_id, amount, title, description, tags, sample, search_text, state, passed_at, next_at, failures, message, differences, seen, lease_until, fence, settlements_30d, units_30d, payers_30d, created_at, updated_at)
      select 'old_' || n, ${address(`n / ${rowsPerAccount}`)}, 'https://shop.example/' || n, 'shop.example', 'GET', (case when n % 10 = 0 then ${chainId} else 50 end), '1', 'Weather ' || n, 'd', '[]', '{}', 'weather ' || n || ' https://shop.example/' || n,
        (case n % 4 when 0 then 'blocked' when 1 then 'hidden' else 'live' end), 1, (case n % 4 when 0 then 1 else ${scenarioNow + 400 * dayMs} end), 0, '', '[]',
        (case when n % 7 = 0 then '{"bazaar":{}}' else '{"bazaar":null}' end), 0, 0, n % 1000, '0', 0, ${at}, ${at} from ${series}`,
    `insert into listing_words (word, listing_id) select w.word, 'old_' || n from ${series}, lateral (values ('weather'), (n::text), ('shop')) as w(word)`,
    ...guards(rows, { series, at, hash }),
  ];
  for (const statement of statements) await query(statement);
  // As the database's own housekeeping does: which pages need no look, and how much there is.
  await query("vacuum analyze");
}

/** What is kept against strangers and for late confirmations: for each payer, payee or settlement. */
function guards(
  rows: number,
  { series, at, hash }: { readonly series: string; readonly at: string; readonly hash: string },
): string[] {
  const later = `${scenarioNow} + n`;
  const kinds = ["network", "spent", "count", "noted", "proven", "reverted", "proven_payer"];
  return [
    // Half of them are due.
    `insert into failure_watches (settlement_id, chain_id, failed_at, expires_at, next_look_at) select 'watched_' || n, ${chainId}, ${at}, ${later}, (case when n % 2 = 0 then ${later} else ${at} end) from ${series}`,
    ...kinds.map(
      (kind) =>
        `insert into keyless_counters (chain_id, kind, name, slot, amount, hour, refill, expires_at) select ${chainId}, '${kind}', ${address("n")}, (case '${kind}' when 'network' then 0 when 'reverted' then 0 else n % 30 end), 1, 1, 1, ${at} + (n % 2) * ${800 * dayMs}::bigint from generate_series(1, ${rows / 5}) as given(n)`,
    ),
    `insert into keyless_charges (settlement_id, chain_id, payer, spent_slot, spent, count_slot, half, caller_network, gwei) select 'charged_' || n, ${chainId}, ${address("n")}, 1, 1, 1, 'open', '10.0.0.0', 1 from ${series}`,
    `insert into keyless_payee_facts (chain_id, pay_to, kind, value) select ${chainId}, ${address("n")}, 'day', '1' from ${series}`,
    `insert into reverted_gas_reservations (settlement_id, half, gwei) select 'reserved_' || n, 'open', 1 from ${series}`,
    `insert into payer_pauses (chain_id, payer, reverts, paused_until) select ${chainId}, ${address("n")}, 1, ${at} from ${series}`,
    `insert into payment_exchanges (payer, nonce, chain_id, asset, exchanges, forget_at) select ${address("n")}, ${hash}, ${chainId}, '${busySeller}', 1, (case when n % 2 = 0 then ${later} else ${at} end) from ${series}`,
    `insert into payer_exchanges (payer, payments) select ${address("n")}, 1 from ${series}`,
  ];
}
