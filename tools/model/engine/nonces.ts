/** The nonces that a process has in hand. */
import { isMinedAt } from "./database.ts";
import type { ProcessState, State, TransactionRow } from "./state.ts";

/** Adds a signed transaction to its nonce, which is created where it is new. */
export function addToNonces(
  process: ProcessState,
  { wallet, nonce, carries }: TransactionRow,
  id: number,
  mayBeOut: boolean,
): void {
  const pending = process.pending.find((one) => one.wallet === wallet && one.nonce === nonce);
  if (!pending) {
    process.pending.push({
      wallet,
      nonce,
      attempts: [id],
      unresolved: carries,
      outcome: "unsent",
      mayBeOut,
      isUsedUp: false,
      sentAge: 0,
      attemptAge: 0,
    });
    process.pending.sort((one, other) => one.wallet - other.wallet || one.nonce - other.nonce);
  } else if (!pending.attempts.includes(id)) {
    pending.attempts.push(id);
    pending.unresolved |= carries;
    pending.outcome = "unsent";
    pending.attemptAge = 0;
  }
}

/** Reserved transactions of a wallet without bytes, at nonces at which none is stored as mined. */
export function bareTransactions({ database }: State, wallet: number): number[] {
  return [...database.transactions.entries()]
    .filter(([, row]) => row.wallet === wallet && row.state === "intent")
    .filter(([, row]) => !isMinedAt(database, row))
    .map(([id]) => id);
}
