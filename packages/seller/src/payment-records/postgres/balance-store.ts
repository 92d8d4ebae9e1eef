/** Balances in PostgreSQL. Each change is one statement. */
import {
  balanceIn,
  balanceText,
  entryIn,
  entryText,
  nameOf,
  type BalanceStore,
} from "../balances/balance-store.ts";
import type { Query } from "./tables.ts";

const first = `insert into farthing_balances (id, version, state) select $1, 1, $3
  where $2::bigint = 0 on conflict (id) do nothing returning id`;
const next = `update farthing_balances set version = version + 1, state = $3
  where id = $1 and version = $2::bigint returning id`;

export function createPostgresBalanceStore(query: Query): BalanceStore {
  return {
    async get(id, entry) {
      const [row] = await query(
        `select version, state, exists (select from farthing_balance_entries
           where balance_id = $1 and name = $2) as "isEntered"
         from farthing_balances where id = $1`,
        [id, entry === undefined ? "" : nameOf(entry)],
      );
      return {
        version: Number(row?.["version"] ?? 0),
        balance: row && balanceIn(row["state"]),
        isEntered: row?.["isEntered"] === true,
      };
    },
    async compareAndSet(version, balance, entries) {
      const rows = await query(
        `with changed as (${version === 0 ? first : next}), appended as (
           insert into farthing_balance_entries (balance_id, name, entry)
           select changed.id, one.name, one.entry
           from changed, unnest($4::text[], $5::text[]) with ordinality as one (name, entry, nth)
           order by one.nth
         ) select id from changed`,
        [balance.id, version, balanceText(balance), entries.map(nameOf), entries.map(entryText)],
      );
      return rows.length > 0;
    },
    async ledger(id) {
      const text = "select entry from farthing_balance_entries where balance_id = $1 order by nth";
      return (await query(text, [id])).map(({ entry }) => entryIn(entry));
    },
  };
}
