/**
 * What a process does about blocks: it matches their events with what it follows, records outcomes,
 * closes nonces, and reverts what a reorganisation took out. Each task is one commit or one read.
 */
import { isAuthorizedTransfer, isConclusive } from "@farthing/engine/testing/rules";
import { factsAt } from "./chain.ts";
import {
  isMinedAt,
  isOpen,
  isOpenTransaction,
  recordConfirmed,
  recordFailed,
  recordFinalized,
  reopenTransactions,
} from "./database.ts";
import { addToNonces } from "./nonces.ts";
import { bitsOf, toProof } from "./production.ts";
import {
  has,
  membersOf,
  type Bounds,
  type ProcessState,
  type SettlementRow,
  type State,
  type Task,
  type Use,
} from "./state.ts";

/** A process at work. */
export interface Actor {
  readonly state: State;
  readonly process: ProcessState;
  readonly bounds: Bounds;
}

/** What follows the blocks that a process has followed so far: everything is found by the newest one. */
const recoverySteps: readonly Task[] = [
  { do: "search" },
  { do: "finalize" },
  { do: "reopen_carriers" },
  { do: "reload" },
];

/** The process takes over what no live process owns. */
export function beginRecovery(actor: Actor): void {
  const { state } = actor;
  hear(actor);
  // A transaction may be signed until then.
  let submitted = 0;
  for (const [payment, row] of state.database.settlements.entries()) {
    if (row && isAssigned(row)) submitted |= 1 << payment;
  }
  add(actor, ...recoverySteps, { do: "requeue", payments: submitted });
}

/** Adds tasks, without those that have nothing to do: they end at once. */
function add({ state, process, bounds }: Actor, ...tasks: readonly Task[]): void {
  const { settlements } = state.database;
  const isUseful = (task: Task): boolean => {
    switch (task.do) {
      case "conclude":
        return process.proofs.some((use) => use !== null);
      case "check_used":
        return process.holds !== 0;
      case "requeue":
        return task.payments !== 0;
      case "fail_expired":
        // Without an expiry it changes nothing, whenever it is made.
        return process.open !== 0 && bounds.faults.expiries > 0;
      case "search":
        return process.open !== 0;
      case "reopen_carriers":
        return settlements.some((row) => row && isAssigned(row));
      case "finalize":
        return settlements.some((row) => row?.state === "confirmed" && !row.isFinal);
      case "reload":
        return process.holds !== 0;
      default:
        return true;
    }
  };
  process.tasks.push(...tasks.filter(isUseful));
}

/** Whether a transaction was reserved for a payment that has no outcome. */
function isAssigned(row: SettlementRow): boolean {
  return row.state === "submitted" || (isOpen(row) && row.carrier !== null);
}

/** The process learns what the database has, as by the notifications of other processes. */
export function hear({ state, process }: Pick<Actor, "state" | "process">): void {
  for (const [payment, row] of state.database.settlements.entries()) {
    if (!row) continue;
    const bit = 1 << payment;
    process.open = isOpen(row) ? process.open | bit : process.open & ~bit;
    process.watched = row.isWatched ? process.watched | bit : process.watched & ~bit;
    if (row.state !== "queued") process.queue &= ~bit;
    if (!isOpen(row)) settled(process, payment);
  }
}

/** Follows the next block. */
export function followBlock(actor: Actor): void {
  const { state, process } = actor;
  const height = process.seen.length + 1;
  const block = state.chain.blocks[height - 1];
  if (!block) return;
  process.seen.push(block.id);
  const { uses } = factsAt(state.chain, height);
  const found = new Map<string, number>();
  for (const payment of membersOf(process.open | process.watched)) {
    const use = uses[payment];
    if (!use || use.height !== height || use.block !== block.id) continue;
    process.proofs[payment] = use;
    found.set(use.by, (found.get(use.by) ?? 0) | (1 << payment));
  }
  for (const pending of process.pending) {
    pending.sentAge = Math.min(2, pending.sentAge + 1);
    pending.attemptAge = Math.min(2, pending.attemptAge + 1);
  }
  const resolved = [...found].map(([hash, payments]): Task => {
    return { do: "close_resolved", hash, payments, height };
  });
  const rest = [{ do: "check_used" }, { do: "fail_expired" }, { do: "finalize" }] as const;
  add(actor, { do: "conclude" }, ...resolved, ...rest);
}

/** The blocks from a height on that the process has followed are no longer in the chain. */
export function noticeReorganisation({ process }: Actor, height: number): void {
  const blocks = process.seen.splice(height - 1);
  process.proofs = process.proofs.map((use) => (use && use.height >= height ? null : use));
  // Nonces before payments, as `onReorganisation` of the outcome tracker has it.
  process.tasks.push({ do: "reopen_from", height }, { do: "revert", height, blocks });
}

/** Those of these payments that nothing proves yet. */
export function unproven({ proofs }: ProcessState, payments: number): number {
  return bitsOf(
    membersOf(payments)
      .filter((payment) => !proofs[payment])
      .map(String),
  );
}

/** Records what is proven deep enough: a transfer when it is confirmed, anything else when final. */
export function conclude({ state, process, bounds }: Actor): void {
  const deepest = process.seen.length - bounds.confirmations + 1;
  for (const [payment, use] of process.proofs.entries()) {
    if (!use || use.height > Math.max(0, deepest)) continue;
    const proof = toProof(use);
    if (!isConclusive(proof, 0)) continue;
    if (isAuthorizedTransfer(proof)) recordConfirmed(state.database, payment, use);
    else recordFailed(state.database, payment);
    process.proofs[payment] = null;
    hear({ state, process });
  }
}

/** A payment has its outcome: nothing is sent for it any more. */
function settled(process: ProcessState, payment: number): void {
  const bit = 1 << payment;
  process.queue &= ~bit;
  for (const pending of process.pending) pending.unresolved &= ~bit;
}

/** Fails what no block can carry any more: a final block is past its time, and it is unused there. */
export function failExpired(actor: Actor): void {
  const { state, process } = actor;
  const { final } = state.chain;
  for (const payment of membersOf(unproven(process, process.open) & final.expired)) {
    const use = final.uses[payment];
    if (use) {
      process.proofs[payment] = use;
      conclude(actor);
    } else recordFailed(state.database, payment);
    hear({ state, process });
  }
}

/** Records finality of blocks that the chain has; reverts what was confirmed in others. */
export function finalize({ state, process }: Actor): void {
  const { settlements } = state.database;
  const stale = settlements.find((row) => {
    if (row?.state !== "confirmed" || row.isFinal || row.block === null) return false;
    const { height, block } = row;
    const here = height === 0 ? 0 : state.chain.blocks[(height ?? 0) - 1]?.id;
    return here !== undefined && here !== block;
  });
  if (stale?.block != null) {
    const height = stale.height ?? 0;
    const blocks = [stale.block];
    process.tasks.push({ do: "reopen_from", height }, { do: "revert", height, blocks });
  } else recordFinalized(state.database);
}

/** Asks the chain, as of the process's head, how these ended; records what is proven. */
export function search(actor: Actor, payments: number): void {
  const { state, process } = actor;
  const { uses } = factsAt(state.chain, process.seen.length);
  for (const payment of membersOf(payments)) {
    const use = uses[payment];
    if (!use) continue;
    process.proofs[payment] ??= use;
    // Another transaction of its nonce was mined in a block that is gone, and it was dropped.
    reopenTransactions(state.database, ({ hash }) => hash === use.by, "dropped");
  }
  conclude(actor);
}

/** Watches failed payments: the money may move after all, until the time is over for good. */
export function watchFailed(actor: Actor): void {
  const { state, process } = actor;
  search(actor, process.watched);
  for (const payment of membersOf(process.watched)) {
    const { uses, expired } = state.chain.final;
    const use: Use | null | undefined = uses[payment];
    const row = state.database.settlements[payment];
    if (row && (use?.kind === "canceled" || (!use && has(expired, payment)))) row.isWatched = false;
  }
  hear({ state, process });
}

/** Takes nonces into hand that are open again in the database. */
export function reload({ state, process }: Actor, wallet: number): void {
  const own = process.pending.filter((one) => one.wallet === wallet);
  const inHand = new Set(own.map(({ nonce }) => nonce));
  for (const { id, row } of listSigned(state, wallet)) {
    if (!inHand.has(row.nonce)) addToNonces(process, row, id, true);
  }
}

/** Whether a nonce of a wallet is open in the database and not in hand. */
export function hasOpenElsewhere({ state, process }: Actor, wallet: number): boolean {
  return listSigned(state, wallet).some(
    ({ row: { nonce } }) =>
      !process.pending.some((one) => one.wallet === wallet && one.nonce === nonce),
  );
}

/** Takes everything into hand that is stored as open, also at nonces that are in hand. */
export function load({ state, process }: Actor, wallet: number): void {
  for (const { id, row } of listSigned(state, wallet)) addToNonces(process, row, id, true);
}

/** Open transactions of a wallet with bytes, at nonces at which none is stored as mined. */
function listSigned({ database }: State, wallet: number) {
  return [...database.transactions.entries()].flatMap(([id, row]) =>
    row.wallet === wallet &&
    row.hash !== null &&
    isOpenTransaction(row) &&
    !isMinedAt(database, row)
      ? [{ id, row }]
      : [],
  );
}
