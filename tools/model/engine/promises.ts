/**
 * What the engine promises, as conditions of each state. The first two are the README's; the others are
 * rules of the auditor of the simulator and the soak test.
 */
import { finalDepth, headOf } from "./chain.ts";
import { isOpenTransaction } from "./database.ts";
import {
  has,
  membersOf,
  type Bounds,
  type PendingNonceState,
  type State,
  type Use,
} from "./state.ts";

type Promise = (state: State, bounds: Bounds) => boolean;

/** Each returns whether the promise is broken. */
const promises: Readonly<Record<string, Promise>> = {
  // A third party can still use a failed authorization; then it becomes confirmed.
  "no transaction of ours moves the money of a payment that was told to have failed": (state) =>
    membersOf(state.toldFailed).some((payment) => {
      const use = state.chain.final.uses[payment];
      return use?.kind === "used" && use.by.startsWith("relay.");
    }),

  "no payment is failed whose money has moved for good, once every process has seen it": (state) =>
    state.database.settlements.some((row, payment) => {
      const use = state.chain.final.uses[payment];
      return isQuiet(state) && row?.state === "failed" && !row.isWatched && use?.kind === "used";
    }),

  // With fewer confirmations than a final block has, a reorganisation can take the transfer out.
  "no payment is told to be confirmed whose money has not moved": (state, bounds) => {
    // With fewer confirmations than a final block has, a reorganisation can take the transfer out.
    const isFinal = bounds.confirmations > finalDepth;
    if (!isFinal && state.faults.reorganisations < bounds.faults.reorganisations) return false;
    const { uses } = isFinal ? state.chain.final : headOf(state.chain);
    return membersOf(state.toldConfirmed).some((payment) => !isMoved(uses[payment]));
  },

  "a payment that is recorded as final is in a final block": (state) =>
    state.database.settlements.some(
      (row, payment) => row?.isFinal === true && state.chain.final.uses[payment]?.by !== row.hash,
    ),

  "a payment gets a new nonce only when the old one is used by another transaction": (state) =>
    isCarriedTwice(state),

  "a nonce in hand is given up to others only where others have used it": (state) =>
    state.processes.some((process, self) =>
      process.pending.some((pending) => isMistaken(state, pending, self)),
    ),

  // A failover loses some of it: its transfers are found again, as the end of each payment says.
  "what reached a node is stored": ({ chain, database, faults }, bounds) =>
    faults.failovers === bounds.faults.failovers &&
    [...chain.pool, ...Object.keys(chain.final.receipts)].some(
      (transaction) =>
        transaction.startsWith("relay.") &&
        !database.transactions.some(({ hash }) => hash === transaction),
    ),

  "a final transaction is not stored as dropped once its nonce is closed": (state) =>
    isQuiet(state) &&
    Object.keys(state.chain.final.receipts).some((transaction) =>
      state.database.transactions.some(
        ({ hash, state: stored }) => hash === transaction && stored === "dropped",
      ),
    ),
};

function isMoved(use: Use | null | undefined): boolean {
  return use?.kind === "used";
}

/** Whether every process has followed the chain and has nothing left to do about it. */
function isQuiet({ chain, processes }: State): boolean {
  return processes.every(
    ({ isUp, seen, tasks }) => isUp && tasks.length === 0 && seen.length === chain.blocks.length,
  );
}

/** Whether a wallet's holder lacks the transaction that a final block has at a nonce in its hand. */
function isMistaken(
  { database, chain: { final } }: State,
  { wallet, nonce, attempts }: PendingNonceState,
  self: number,
): boolean {
  if (database.wallets[wallet]?.holder !== self) return false;
  const mined = database.transactions.findIndex(
    (row) =>
      row.wallet === wallet &&
      row.nonce === nonce &&
      row.hash !== null &&
      final.receipts[row.hash] !== undefined,
  );
  return mined >= 0 && !attempts.includes(mined);
}

/** Transactions with the same payment at two nonces, either of which could be mined, whatever is stored. */
function isCarriedTwice({ database, chain }: State): boolean {
  const { counts } = chain.final;
  return database.settlements.some((_, payment) => {
    const minable = database.transactions.filter(
      (row) =>
        has(row.carries, payment) &&
        (row.hash !== null || isOpenTransaction(row)) &&
        row.nonce >= (counts[row.wallet] ?? 0),
    );
    return new Set(minable.map(({ wallet, nonce }) => `${wallet}.${nonce}`)).size > 1;
  });
}

/** The name of the first promise that a state breaks. */
export function brokenPromise(state: State, bounds: Bounds): string | undefined {
  return Object.entries(promises).find(([, isBroken]) => isBroken(state, bounds))?.[0];
}

/**
 * Whether every payment that was claimed, or that a wallet has made, has its outcome, and the database says
 * what the chain says.
 */
export function isOver(state: State): boolean {
  const { settlements } = state.database;
  const { uses } = headOf(state.chain);
  return settlements.every((row, payment) => {
    if (!row) return uses[payment]?.by.startsWith("relay.") !== true;
    const isUsed = isMoved(state.chain.final.uses[payment]);
    return row.state === "confirmed" ? row.isFinal && isUsed : row.state === "failed" && !isUsed;
  });
}
