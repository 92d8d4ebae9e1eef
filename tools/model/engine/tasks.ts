/** The tasks of a process: each is one commit to the database, or one read of the chain. */
import { noteUndecided } from "@farthing/engine/testing/rules";
import {
  closeNonce,
  dropTransactions,
  isCarrierOf,
  recordReorganised,
  reopenTransactions,
  requeue,
} from "./database.ts";
import { compare } from "./lost-commits.ts";
import {
  conclude,
  failExpired,
  finalize,
  reload,
  search,
  unproven,
  type Actor,
} from "./outcomes.ts";
import { bitsOf, toCarried, toPendingNonce } from "./production.ts";
import { membersOf, type DatabaseState, type Task } from "./state.ts";
import { checkUsed, closeResolved } from "./used-nonces.ts";

/** These read the chain as of the process's head, and its node may lack that block now. */
const reading: ReadonlySet<Task["do"]> = new Set(["check_used", "search"]);

/** Whether the node can answer what the first task asks. */
export function canMakeTask({ state, process }: Actor): boolean {
  const [task] = process.tasks;
  if (!task) return false;
  return !reading.has(task.do) || process.seen.length <= state.chain.blocks.length;
}

/** Makes the first task. */
export function makeTask(actor: Actor): void {
  const { state, process } = actor;
  const { database } = state;
  const task = process.tasks.shift();
  switch (task?.do) {
    case "conclude":
      return conclude(actor);
    case "close_resolved":
      return closeResolved(actor, task);
    case "close":
      return closeNonce(database, task.mined, task.height);
    case "drop":
      return dropTransactions(database, task.transactions);
    case "check_used":
      return checkUsed(actor);
    case "requeue":
      return requeueAll(actor, task.payments);
    case "fail_expired":
      return failExpired(actor);
    case "finalize":
      return finalize(actor);
    case "reopen_from":
      return reopenFrom(database, task.height);
    case "revert":
      return revert(actor, task);
    case "reopen_carriers":
      return reopenTransactions(database, isCarrierOf(database, unproven(process, process.open)));
    case "reload":
      return reloadAll(actor);
    case "compare":
      return compare(actor);
    case "search":
      return search(actor, process.open);
    case undefined:
  }
}

function requeueAll({ state, process }: Actor, payments: number): void {
  for (const payment of membersOf(payments)) {
    if (process.proofs[payment] || !requeue(state.database, payment)) continue;
    process.open |= 1 << payment;
    process.queue |= 1 << payment;
  }
}

function reopenFrom(database: DatabaseState, from: number): void {
  reopenTransactions(database, ({ height }) => height !== null && height >= from);
}

function revert(
  { state, process }: Actor,
  { height, blocks }: Extract<Task, { readonly do: "revert" }>,
): void {
  const payments = recordReorganised(state.database, height, blocks);
  process.open |= payments;
  process.tasks.unshift({ do: "reload" }, { do: "requeue", payments });
  // Once more: a failover may have lost the commit before.
  if (payments !== 0) process.tasks.unshift({ do: "reopen_from", height });
}

/** Takes the nonces into hand that are open again, as a process does every few seconds. */
export function reloadAll(actor: Actor): void {
  for (const wallet of membersOf(actor.process.holds)) reload(actor, wallet);
  carryAgain(actor);
}

/** The nonces in hand carry payments again that have lost their outcome. */
function carryAgain({ state: { database }, process }: Actor): void {
  for (const pending of process.pending) {
    const nonce = toPendingNonce(database, pending);
    for (const [payment, row] of database.settlements.entries()) {
      if (row?.state !== "submitted" || process.proofs[payment]) continue;
      noteUndecided(nonce, toCarried(row, payment));
    }
    pending.unresolved = bitsOf(nonce.unresolved);
  }
}
