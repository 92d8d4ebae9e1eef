/**
 * A database that loses its last commits: a standby that was behind takes over. What a process does about
 * it is decided by the rules of the engine. A search, and all that it records, is one step here: nothing is
 * claimed while it lasts, and its repetition is safe.
 */
import { adoptionOf, isBehindChain, isGivenAgain } from "@farthing/engine/testing/rules";
import { forgetEnded, nodeFacts } from "./chain.ts";
import { claim } from "./database.ts";
import { beginRecovery, conclude, type Actor } from "./outcomes.ts";
import {
  has,
  membersOf,
  type DatabaseState,
  type ProcessState,
  type State,
  type TransactionRow,
} from "./state.ts";

/** The standby gets no more commits from now on. */
export function leaveBehind(state: State): void {
  const copy: DatabaseState = structuredClone(state.database);
  state.standby = copy;
}

/** The standby takes the place of the database, under the processes. */
export function failOver(state: State, actorOf: (process: ProcessState) => Actor): void {
  const { standby, database } = state;
  if (!standby) return;
  state.faults.failovers--;
  // A failure that is lost is told as open again, and may be sent: it is no promise (decision 107).
  for (const payment of membersOf(state.toldFailed)) {
    if (standby.settlements[payment]?.state !== "failed") state.toldFailed &= ~(1 << payment);
  }
  state.database = standby;
  state.standby = null;
  for (const process of state.processes) {
    if (!process.isUp) continue;
    process.known = standby.wallets.map(({ next }, wallet) => {
      const known = has(process.holds, wallet) ? database.wallets[wallet]?.next : 0;
      return Math.max(known ?? 0, process.known[wallet] ?? 0, next);
    });
    process.lost = process.known.map((known, wallet) =>
      Math.max(
        process.lost[wallet] ?? 0,
        isMoreThan(known, standby.wallets[wallet]?.next) ? known : 0,
      ),
    );
    forgetNothing(process, standby);
    forgetEnded(process, state.chain.final);
    forgetRows(process, database, standby);
    // The first connection to another server begins the comparison.
    process.tasks.unshift({ do: "compare" });
    beginRecovery(actorOf(process));
  }
}

/** What the store has again is all that is known. */
function forgetNothing(process: ProcessState, { wallets }: DatabaseState): void {
  const isMore = process.known.some((known, wallet) => isMoreThan(known, wallets[wallet]?.next));
  if (!isMore) process.known = [];
}

function isMoreThan(known: number, next = 0): boolean {
  return known > next;
}

/**
 * Rows that are gone leave the hand. The engine forgets them within a second; until then its writes name
 * rows that do not exist, and its sends repeat bytes that nodes have. A nonce keeps what is still stored.
 */
function forgetRows(process: ProcessState, before: DatabaseState, now: DatabaseState): void {
  const isThere = (id: number) =>
    now.transactions[id] !== undefined &&
    now.transactions[id].hash === before.transactions[id]?.hash;
  process.pending = process.pending
    .map((pending) => ({ ...pending, attempts: pending.attempts.filter(isThere) }))
    .filter(({ attempts }) => attempts.length > 0);
  for (const { wallet } of listUnsignedAgain(before, now)) process.loaded &= ~(1 << wallet);
  if (process.replacing && !isThere(process.replacing.id)) process.replacing = null;
  process.tasks = process.tasks.filter((task) => {
    if (task.do === "close") return isThere(task.mined);
    return task.do !== "drop" || task.transactions.every(isThere);
  });
  for (const [payment, row] of now.settlements.entries()) {
    if (row) continue;
    process.open &= ~(1 << payment);
    process.queue &= ~(1 << payment);
    process.watched &= ~(1 << payment);
    process.proofs[payment] = null;
  }
}

/**
 * Transactions whose bytes are lost. The engine signs them again when it loads the wallet, after it has
 * taken over what has bytes: no nonce comes into its hand without the transactions that were sent at it.
 */
function listUnsignedAgain(before: DatabaseState, now: DatabaseState): TransactionRow[] {
  return now.transactions.filter(
    ({ state }, id) => state === "intent" && before.transactions[id]?.state !== "intent",
  );
}

/** Compares the next nonces with what the chain has of the wallets. */
export function compare(actor: Actor): void {
  const { counts } = nodeFacts(actor.state);
  for (const [wallet, count] of counts.entries()) raiseNext(actor, wallet, count);
}

/** The wallet's next nonce is at least what the chain counts, once what is missing was searched. */
export function raiseNext(actor: Actor, wallet: number, count: number): void {
  const row = actor.state.database.wallets[wallet];
  if (!row) return;
  if (isBehindChain(row.next, count)) searchLost(actor);
  row.next = Math.max(row.next, count);
  forgetNothing(actor.process, actor.state.database);
}

/** Whether the wallet's row gives nonces that the process knows to be given. */
export function hasGoneBack({ state, process }: Actor, wallet: number): boolean {
  const { next = 0 } = state.database.wallets[wallet] ?? {};
  return isGivenAgain(next, process.known[wallet] ?? 0);
}

/** The process forgets what it has in hand of the wallet, which is loaded again. */
export function forgetWallet(actor: Actor, wallet: number): void {
  const { process } = actor;
  searchLost(actor);
  process.pending = process.pending.filter((pending) => pending.wallet !== wallet);
  process.loaded &= ~(1 << wallet);
}

/** Keeps away from the nonces that the process knows, once what used them is found. */
export function keepAway(actor: Actor, wallet: number): void {
  const { state, process } = actor;
  const row = state.database.wallets[wallet];
  if (!row || !hasGoneBack(actor, wallet)) return;
  const { counts } = nodeFacts(state);
  raiseNext(actor, wallet, counts[wallet] ?? 0);
  row.next = Math.max(row.next, process.known[wallet] ?? 0);
  forgetNothing(process, state.database);
}

/** Records what the wallets have sent, by the newest block of the node. */
export function searchLost(actor: Actor): void {
  const { state, process } = actor;
  const { uses } = nodeFacts(state);
  for (const [payment, use] of uses.entries()) {
    if (use?.kind !== "used" || !use.by.startsWith("relay.")) continue;
    const what = adoptionOf(state.database.settlements[payment] ?? undefined);
    if (what === "nothing") continue;
    if (what === "claim") claim(state.database, payment);
    process.open |= 1 << payment;
    process.proofs[payment] = use;
  }
  conclude(actor);
}
