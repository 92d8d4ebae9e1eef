/** Balances in the SQLite database of the payment records. Each change is one transaction. */
import {
  balanceIn,
  balanceText,
  entryIn,
  entryText,
  nameOf,
  type BalanceStore,
} from "../balances/balance-store.ts";
import type { Database } from "./tables.ts";

export function createSqliteBalanceStore(database: Database, balancesMax: number): BalanceStore {
  return {
    async get(id, entry) {
      const row = database.get(
        `select version, state, exists (select 1 from balance_entries
           where balance_id = balances.id and name = ?) as isEntered from balances where id = ?`,
        entry === undefined ? "" : nameOf(entry),
        id,
      );
      return {
        version: Number(row?.["version"] ?? 0),
        balance: row && balanceIn(row["state"]),
        isEntered: Number(row?.["isEntered"] ?? 0) !== 0,
      };
    },
    async compareAndSet(version, balance, entries) {
      // A power cut may give a reserve back, but must not undo what the ledger says.
      const strength = entries.length > 0 ? "surely" : "soon";
      return database.transaction(() => {
        const text = balanceText(balance);
        const row =
          version === 0
            ? database.get(
                `insert into balances (id, version, state) values (?, 1, ?)
                 on conflict (id) do nothing returning id`,
                balance.id,
                text,
              )
            : database.get(
                `update balances set version = version + 1, state = ?
                 where id = ? and version = ? returning id`,
                text,
                balance.id,
                version,
              );
        if (!row) return false;
        for (const entry of entries) {
          database.run(
            "insert into balance_entries (balance_id, name, entry) values (?, ?, ?)",
            balance.id,
            nameOf(entry),
            entryText(entry),
          );
        }
        return true;
      }, strength);
    },
    async ledger(id) {
      const text = "select entry from balance_entries where balance_id = ? order by nth";
      return database.all(text, id).map(({ entry }) => entryIn(entry));
    },
    async isFull() {
      // Row ids count the balances, because none is ever deleted.
      const row = database.get("select max(rowid) as entries from balances");
      return Number(row?.["entries"] ?? 0) >= balancesMax;
    },
  };
}
