/**
 * What a process does with its wallets: it takes one, loads what is stored, reserves a nonce, signs,
 * stores, sends, and recovers what is not mined.
 */
import {
  isReplacing,
  recoveryActionOf,
  noteSend,
  planReplacement,
  type SendOutcome,
} from "@farthing/engine/testing/rules";
import { bytesOf, factsAt, isOver, nodeFacts } from "./chain.ts";
import {
  dropClosed,
  dropRepeat,
  forgetUnsigned,
  isMinedAt,
  isUnassigned,
  recordFailed,
  recordSent,
  recordSigned,
  reserve,
  type Planned,
} from "./database.ts";
import { forgetWallet, hasGoneBack, keepAway, raiseNext } from "./lost-commits.ts";
import { addToNonces, bareTransactions } from "./nonces.ts";
import { beginRecovery, hear, load, search, type Actor } from "./outcomes.ts";
import { bitsOf, headNumber, toPendingNonce, walletAddress } from "./production.ts";
import { has, membersOf, prices, type PendingNonceState, type TransactionRow } from "./state.ts";

/** Whether a process may take a wallet: no one holds it. */
export function canTake({ state, process }: Actor, wallet: number): boolean {
  const holder = state.database.wallets[wallet]?.holder;
  return holder === null && !has(process.holds, wallet);
}

export function takeWallet(actor: Actor, wallet: number, self: number): void {
  const { state, process } = actor;
  const row = state.database.wallets[wallet];
  if (!row) return;
  row.holder = self;
  raiseNext(actor, wallet, factsAt(state.chain, process.seen.length).counts[wallet] ?? 0);
  process.holds |= 1 << wallet;
  process.loaded &= ~(1 << wallet);
  beginRecovery(actor);
}

/** Whether the lease is still its own: every write of a wallet has this condition. */
export function holds({ state, process }: Actor, wallet: number, self: number): boolean {
  return has(process.holds, wallet) && state.database.wallets[wallet]?.holder === self;
}

/** A write showed that the lease is lost. */
export function loseWallet({ state, process }: Actor, wallet: number): void {
  process.holds &= ~(1 << wallet);
  process.loaded &= ~(1 << wallet);
  process.pending = process.pending.filter((pending) => pending.wallet !== wallet);
  if (state.database.transactions[process.replacing?.id ?? -1]?.wallet === wallet) {
    process.replacing = null;
  }
}

/** Loads stored transactions, once those without bytes are signed, and fills gaps one by one. */
export function loadWallet(actor: Actor, wallet: number): void {
  keepAway(actor, wallet);
  dropClosed(actor.state.database, wallet);
  load(actor, wallet);
  const gap = firstGap(actor, wallet);
  if (gap === undefined) {
    actor.process.loaded |= 1 << wallet;
    return;
  }
  const price = actor.state.chain.price;
  reserve(actor.state.database, { wallet, nonce: gap, carries: 0, price });
}

/** A nonce that no transaction will use, and that holds up later ones. */
function firstGap({ state, process }: Actor, wallet: number): number | undefined {
  const { database } = state;
  const next = database.wallets[wallet]?.next ?? 0;
  const mined = database.transactions.filter(
    (row) => row.wallet === wallet && row.state === "mined",
  );
  const stored = mined.reduce((most, { nonce }) => Math.max(most, nonce + 1), 0);
  const seen = nodeFacts(state).counts[wallet] ?? 0;
  for (let nonce = Math.max(seen, stored); nonce < next; nonce++) {
    if (!process.pending.some((one) => one.wallet === wallet && one.nonce === nonce)) return nonce;
  }
  return undefined;
}

/** Whether the wallet may take a payment that waits here. */
export function canCarry(
  { state, process, bounds }: Actor,
  wallet: number,
  payments: number,
): boolean {
  const next = state.database.wallets[wallet]?.next ?? 0;
  return (
    has(process.loaded, wallet) &&
    next < bounds.nonces &&
    (process.queue & payments) === payments &&
    membersOf(payments).every((payment) => isUnassigned(state.database.settlements[payment]))
  );
}

/** Whether the transfer would fail now, by the process's view of the chain or by a node that is behind. */
function isHindered({ state, process }: Actor, payment: number): boolean {
  const isBehind = state.behind > 0;
  const facts = isBehind ? nodeFacts(state) : factsAt(state.chain, process.seen.length);
  const { uses, expired, poor } = facts;
  return Boolean(uses[payment]) || has(expired | poor, payment);
}

/** Simulates the payments, and reserves a nonce for them where all pass. */
export function carry(actor: Actor, wallet: number, payments: number): void {
  const { state, process } = actor;
  const refused = membersOf(payments).filter((payment) => isHindered(actor, payment));
  process.queue &= ~payments;
  // A block may still contain a transaction that was lost, and that makes one of them: they wait.
  if (refused.length > 0 && process.lost.length > 0) process.queue |= payments;
  else for (const payment of refused) refuse(actor, payment);
  if (refused.length > 0) return;
  if (hasGoneBack(actor, wallet)) {
    // The nonce that is given again goes back, and the queue offers the payments later.
    forgetWallet(actor, wallet);
    process.queue |= payments;
    return;
  }
  reserve(state.database, { wallet, carries: payments, price: state.chain.price });
}

/** A queued payment that would fail now: it may have been paid by a third party. */
function refuse(actor: Actor, payment: number): void {
  const { state, process } = actor;
  search(actor, 1 << payment);
  const { uses } = factsAt(state.chain, process.seen.length);
  if (!uses[payment]) recordFailed(state.database, payment, { isOnlyUnassigned: true });
  hear(actor);
}

export function canSign({ state, process }: Actor, wallet: number): number | undefined {
  if (!has(process.holds, wallet)) return undefined;
  // A block may close the nonce of a replacement while it is signed.
  const { id } = process.replacing ?? { id: -1 };
  const replacement = state.database.transactions[id];
  const isBare = replacement?.wallet === wallet && replacement.state === "intent";
  return isBare ? id : bareTransactions(state, wallet)[0];
}

/** Signs the first transaction without bytes, and stores them. */
export function sign(actor: Actor, id: number): void {
  const { state, process } = actor;
  const { database } = state;
  const row = database.transactions[id];
  const { replacing } = process;
  const isLate = replacing?.id === id && !replacing.isInHand;
  // A wallet is loaded with what is signed already, oldest first. What comes too late is no part of that.
  if (row && !isLate && !has(process.loaded, row.wallet)) load(actor, row.wallet);
  if (replacing?.id === id && !isLate) process.replacing = null;
  if (!row) return;
  if (dropRepeat(database, id)) {
    process.replacing = null;
    // The wallet loads again what is stored.
    process.loaded &= ~(1 << row.wallet);
    if (state.processes.every(({ replacing }) => replacing === null)) forgetUnsigned(database);
    return;
  }
  recordSigned(database, id);
  if (!isLate) addToNonces(process, row, id, false);
}

/** Signed bytes whose nonce a block has closed meanwhile. The wallet looks at them before its next step. */
export function lateBytes({ state: { database }, process }: Actor): number | undefined {
  const id = process.replacing?.id ?? -1;
  return database.transactions[id]?.hash == null ? undefined : id;
}

/** Drops them, unless a reorganisation has opened the nonce again. */
export function dropLate({ state: { database }, process }: Actor, id: number): void {
  const row = database.transactions[id];
  if (row) dropClosed(database, row.wallet);
  process.replacing = null;
}

/** Reserves a transaction in the place of another one, but not where one is stored as mined. */
export function replace({ state, process }: Actor, plan: Required<Planned>): void {
  const { database } = state;
  if (!isMinedAt(database, plan))
    process.replacing = { id: reserve(database, plan), isInHand: true };
}

/** What the rules of recovery say about a pending nonce. */
export function actionOn({ state, bounds }: Actor, pending: PendingNonceState) {
  const needed = BigInt(state.chain.price);
  const action = recoveryActionOf(
    toPendingNonce(state.database, pending),
    headNumber,
    bounds.wallets > 1,
    { needed, isPaid: needed <= BigInt(prices.ceiling) },
  );
  return action;
}

export function newestOf({ state }: Actor, pending: PendingNonceState): TransactionRow | undefined {
  return state.database.transactions[pending.attempts.at(-1) ?? -1];
}

/** How the node answers a send, and whether it has the bytes then. */
export interface SendReply {
  readonly outcome: SendOutcome;
  readonly isKept: boolean;
  readonly isFault: boolean;
  readonly words: string;
}

function plainReply(outcome: SendOutcome): SendReply {
  return { outcome, isKept: outcome === "accepted", isFault: false, words: outcome };
}

export function repliesTo(actor: Actor, pending: PendingNonceState): readonly SendReply[] {
  const { chain, faults } = actor.state;
  const row = newestOf(actor, pending);
  if (!row) return [];
  if (row.price < chain.price) return [plainReply("price_too_low")];
  const { counts } = nodeFacts(actor.state);
  if (row.nonce < (counts[row.wallet] ?? 0)) return [plainReply("nonce_too_low")];
  const good = [plainReply("accepted")];
  if (faults.losses === 0) return good;
  return [
    ...good,
    { outcome: "unknown", isKept: true, isFault: true, words: "no reply, and the node has it" },
    { outcome: "unknown", isKept: false, isFault: true, words: "no reply, and the node lacks it" },
    { outcome: "accepted", isKept: false, isFault: true, words: "accepted, and dropped" },
  ];
}

/** Sends the newest bytes, and records that a node has accepted them. */
export function send(actor: Actor, pending: PendingNonceState, reply: SendReply): void {
  const { state } = actor;
  const row = newestOf(actor, pending);
  if (!row) return;
  if (reply.isFault) state.faults.losses--;
  if (reply.isKept) keep(actor, bytesOf(row));
  const noted = toPendingNonce(state.database, pending);
  noteSend(noted, reply.outcome, headNumber);
  pending.outcome = noted.outcome;
  pending.mayBeOut = noted.mayBeOut;
  pending.sentAge = 0;
  if (reply.outcome === "accepted") recordSent(state.database, pending.attempts.at(-1) ?? -1);
}

function keep({ state: { chain } }: Actor, transaction: string): void {
  // A node that is behind takes what no block can contain any more.
  if (chain.pool.includes(transaction) || isOver(chain.final, transaction)) return;
  chain.pool.push(transaction);
  chain.pool.sort();
}

/** Plans the transaction that takes the place of another one; undefined where no price is possible. */
export function planOf(actor: Actor, pending: PendingNonceState) {
  const { database, chain } = actor.state;
  const action = actionOn(actor, pending);
  if (!isReplacing(action)) return undefined;
  const price = BigInt(chain.price);
  const limits = { needed: price, asked: price, ceiling: BigInt(prices.ceiling) };
  const plan = planReplacement(toPendingNonce(database, pending), action, walletAddress, limits);
  if (!plan) return undefined;
  const { wallet, nonce } = pending;
  return { wallet, nonce, carries: bitsOf(plan.settlementIds), price: Number(plan.gasPrice) };
}
