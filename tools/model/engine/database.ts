/**
 * The database: each function is one commit, with the guards of the production tables of transitions.
 */
import {
  openStates,
  settlementTransitions,
  type SettlementState,
  type TransitionCondition,
} from "@farthing/engine";
import {
  openTransactionStates,
  transactionTransitions,
  type TransactionState,
} from "@farthing/engine/testing/rules";
import { bytesOf } from "./chain.ts";
import {
  has,
  membersOf,
  type DatabaseState,
  type SettlementRow,
  type TransactionRow,
  type Use,
} from "./state.ts";

type SettlementStep = keyof typeof settlementTransitions;
type TransactionStep = keyof typeof transactionTransitions;

function isOneOf(states: readonly (SettlementState | TransactionState)[], state: string): boolean {
  return states.some((one) => one === state);
}

export function isOpen({ state }: SettlementRow): boolean {
  return isOneOf(openStates, state);
}

export function isOpenTransaction({ state }: TransactionRow): boolean {
  return isOneOf(openTransactionStates, state);
}

/** Whether an open transaction carries a payment, also one that is not its present one. */
function isCarried({ transactions }: DatabaseState, payment: number): boolean {
  return transactions.some((row) => has(row.carries, payment) && isOpenTransaction(row));
}

/** The same, or one that is stored as mined in a block that is not final. */
function mayBeCarried({ transactions }: DatabaseState, payment: number): boolean {
  return transactions.some(
    (row) =>
      has(row.carries, payment) &&
      (isOpenTransaction(row) || (row.state === "mined" && (row.height ?? 0) > 0)),
  );
}

/** Submitted payments that no open transaction carries. */
export function listStranded(database: DatabaseState): number {
  return database.settlements.reduce(
    (bits, row, payment) =>
      row?.state === "submitted" && !isCarried(database, payment) ? bits | (1 << payment) : bits,
    0,
  );
}

const conditions: Readonly<
  Record<TransitionCondition, (database: DatabaseState, payment: number) => boolean>
> = {
  uncarried: (database, payment) => !mayBeCarried(database, payment),
  unfinalized: ({ settlements }, payment) => settlements[payment]?.isFinal === false,
};

/** Makes a transition of a payment where the production table allows it. */
function move(
  database: DatabaseState,
  payment: number,
  kind: SettlementStep,
): SettlementRow | undefined {
  const row = database.settlements[payment];
  const transition = settlementTransitions[kind];
  if (!row || !isOneOf(transition.from, row.state)) return undefined;
  if ("only" in transition && !conditions[transition.only](database, payment)) return undefined;
  row.state = transition.to;
  return row;
}

function moveTransaction(row: TransactionRow | undefined, kind: TransactionStep): boolean {
  const { from, to } = transactionTransitions[kind];
  if (!row || !isOneOf(from, row.state)) return false;
  row.state = to;
  return true;
}

export function claim(database: DatabaseState, payment: number): void {
  database.settlements[payment] = {
    state: "queued",
    carrier: null,
    hash: null,
    height: null,
    block: null,
    by: null,
    isFinal: false,
    hadFailed: false,
    isWatched: false,
  };
}

/** Whether a payment may get a nonce: queued, and no transaction carries it. */
export function isUnassigned(row: SettlementRow | null | undefined): boolean {
  return row?.state === "queued" && row.carrier === null;
}

export interface Planned extends Pick<TransactionRow, "wallet" | "carries" | "price"> {
  readonly nonce?: number;
}

/** Takes the wallet's next nonce for payments, or another transaction at a nonce. */
export function reserve(database: DatabaseState, planned: Planned): number {
  const wallet = database.wallets[planned.wallet];
  const nonce = planned.nonce ?? (wallet ? wallet.next++ : 0);
  const { wallet: of, carries, price } = planned;
  const row = {
    wallet: of,
    nonce,
    carries,
    price,
    state: "intent",
    hash: null,
    height: null,
  } as const;
  database.transactions.push(row);
  const id = database.transactions.length - 1;
  for (const payment of membersOf(carries)) {
    const settlement = database.settlements[payment];
    if (settlement && isOpen(settlement)) settlement.carrier = id;
  }
  return id;
}

/** Stores the signed bytes, and with them that the payments are submitted. */
export function recordSigned(database: DatabaseState, id: number): string | undefined {
  const row = database.transactions[id];
  if (!row || !moveTransaction(row, "signed")) return undefined;
  row.hash = bytesOf(row);
  for (const payment of membersOf(row.carries)) {
    if (database.settlements[payment]?.carrier !== id) continue;
    const settlement = move(database, payment, "signed");
    if (settlement) settlement.hash = row.hash;
  }
  return row.hash;
}

/**
 * Drops a transaction whose bytes the database has under another id. Its payments are with that one,
 * which is open again where no transaction is mined at the nonce. Returns whether there was another one.
 */
export function dropRepeat(database: DatabaseState, id: number): boolean {
  const { transactions, settlements } = database;
  const row = transactions[id];
  const known = transactions.findIndex(
    ({ hash }, other) => row !== undefined && other !== id && hash === bytesOf(row),
  );
  const first = transactions[known];
  if (!row || !first) return false;
  moveTransaction(row, "released");
  if (!isMinedAt(database, row)) moveTransaction(first, "reopened");
  for (const settlement of settlements) {
    if (!settlement || settlement.carrier !== id || !isOpen(settlement)) continue;
    Object.assign(settlement, { carrier: known, hash: first.hash });
  }
  return true;
}

/**
 * Takes the newest transaction out where it was dropped without bytes and no payment names it: nothing
 * reads it again, and each further repeat of the same bytes would make another state of the same facts.
 */
export function forgetUnsigned({ transactions, settlements }: DatabaseState): void {
  const row = transactions.at(-1);
  const isNamed = settlements.some((one) => one?.carrier === transactions.length - 1);
  if (row?.state === "dropped" && row.hash === null && !isNamed) transactions.pop();
}

/** Whether a transaction is stored as mined at a nonce. */
export function isMinedAt(
  { transactions }: DatabaseState,
  { wallet, nonce }: Pick<TransactionRow, "wallet" | "nonce">,
): boolean {
  return transactions.some(
    (row) => row.wallet === wallet && row.nonce === nonce && row.state === "mined",
  );
}

export function recordSent(database: DatabaseState, id: number): void {
  moveTransaction(database.transactions[id], "sent");
}

/** Ends a nonce: one transaction is mined, and all others that were signed at it are dropped. */
export function closeNonce(database: DatabaseState, mined: number, height: number): void {
  const named = database.transactions[mined];
  if (!named) return;
  for (const [id, row] of database.transactions.entries()) {
    if (row.wallet !== named.wallet || row.nonce !== named.nonce || row.hash === null) continue;
    if (!moveTransaction(row, id === mined ? "mined" : "dropped")) continue;
    row.height = id === mined ? height : null;
  }
}

export function dropTransactions(database: DatabaseState, ids: readonly number[]): void {
  for (const id of ids) moveTransaction(database.transactions[id], "dropped");
}

/** Drops what is open at nonces of a wallet at which one is stored as mined. */
export function dropClosed(database: DatabaseState, wallet: number): void {
  for (const [id, row] of database.transactions.entries()) {
    if (row.wallet !== wallet || !isMinedAt(database, row)) continue;
    if (!moveTransaction(row, "dropped")) continue;
    for (const settlement of database.settlements) {
      if (settlement?.state === "queued" && settlement.carrier === id) settlement.carrier = null;
    }
  }
}

/** Opens every transaction that was signed at the nonces of these mined ones. */
export function reopenTransactions(
  { transactions }: DatabaseState,
  isReopened: (row: TransactionRow) => boolean,
  state: "mined" | "dropped" = "mined",
): void {
  const used = transactions.filter((row) => row.state === state && isReopened(row));
  for (const { wallet, nonce } of used) {
    for (const row of transactions) {
      if (row.wallet !== wallet || row.nonce !== nonce || row.hash === null) continue;
      if (moveTransaction(row, "reopened")) row.height = null;
    }
  }
}

/** The transactions that carry submitted payments, at the nonce of their present one. */
export function isCarrierOf({ settlements, transactions }: DatabaseState, payments: number) {
  return (row: TransactionRow): boolean =>
    membersOf(payments & row.carries).some((payment) => {
      const settlement = settlements[payment];
      const current = transactions[settlement?.carrier ?? -1];
      return (
        settlement?.state === "submitted" &&
        current?.wallet === row.wallet &&
        current.nonce === row.nonce
      );
    });
}

export function recordConfirmed(database: DatabaseState, payment: number, use: Use): boolean {
  const hadFailed = database.settlements[payment]?.state === "failed";
  const row = move(database, payment, "confirmed");
  if (!row) return false;
  row.hadFailed = hadFailed;
  const isOurs = use.by.startsWith("relay.");
  Object.assign(row, { hash: use.by, height: use.height, block: use.block });
  row.by = isOurs ? "relayer" : "other";
  row.isWatched = false;
  return true;
}

export function recordFailed(
  database: DatabaseState,
  payment: number,
  { isOnlyUnassigned = false }: { readonly isOnlyUnassigned?: boolean } = {},
): boolean {
  if (isOnlyUnassigned && database.settlements[payment]?.carrier != null) return false;
  const row = move(database, payment, "failed");
  if (row) row.isWatched = true;
  return row !== undefined;
}

export function requeue(database: DatabaseState, payment: number): boolean {
  const row = move(database, payment, "requeued");
  if (!row) return false;
  row.carrier = null;
  row.hash = null;
  return true;
}

/** Reverts what was confirmed in these blocks; returns the payments. */
export function recordReorganised(
  database: DatabaseState,
  height: number,
  blocks: readonly number[],
): number {
  let reverted = 0;
  for (const [payment, row] of database.settlements.entries()) {
    if (row?.block == null || (row.height ?? 0) < height || !blocks.includes(row.block)) continue;
    if (!move(database, payment, "reorganised")) continue;
    row.hash = database.transactions[row.carrier ?? -1]?.hash ?? null;
    Object.assign(row, { height: null, block: null, by: null });
    if (row.hadFailed) recordFailed(database, payment);
    row.hadFailed = false;
    reverted |= 1 << payment;
  }
  return reverted;
}

export function recordFinalized(database: DatabaseState): void {
  for (const [payment, row] of database.settlements.entries()) {
    if (row?.height === 0 && move(database, payment, "finalized")) row.isFinal = true;
  }
}
