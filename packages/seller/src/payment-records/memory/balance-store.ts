/** Balances of one process. Each call runs to its end before the next one starts. */
import {
  nameOf,
  type Balance,
  type BalanceStore,
  type LedgerEntry,
} from "../balances/balance-store.ts";

/** Charges of each balance that are remembered: a hundred bytes each. */
export const maxChargesInMemory = 1_000;

export function createMemoryBalanceStore(balancesMax: number): BalanceStore {
  const balances = new Map<string, { version: number; balance: Balance }>();
  // In the order of the entries.
  const ledgers = new Map<string, Map<string, LedgerEntry>>();
  function append(id: string, entries: readonly LedgerEntry[]): void {
    const ledger = ledgers.get(id) ?? new Map<string, LedgerEntry>();
    ledgers.set(id, ledger);
    for (const entry of entries) ledger.set(nameOf(entry), entry);
    let excess = ledger.size - maxChargesInMemory;
    for (const [name, { kind }] of ledger) {
      if (excess <= 0) break;
      if (kind === "charge" && ledger.delete(name)) excess--;
    }
  }
  return {
    async get(id, entry) {
      const { version = 0, balance } = balances.get(id) ?? {};
      const isEntered = entry !== undefined && ledgers.get(id)?.has(nameOf(entry)) === true;
      return { version, balance, isEntered };
    },
    async compareAndSet(version, balance, entries) {
      const { id } = balance;
      if ((balances.get(id)?.version ?? 0) !== version) return false;
      balances.set(id, { version: version + 1, balance });
      append(id, entries);
      return true;
    },
    ledger: async (id) => [...(ledgers.get(id)?.values() ?? [])],
    isFull: async () => balances.size >= balancesMax,
  };
}
