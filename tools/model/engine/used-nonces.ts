/** How a process ends nonces: by the events of a block, by receipts, or because others have used them. */
import { isUsedByOthers, usedNonceStep } from "@farthing/engine/testing/rules";
import { factsAt, headOf, nodeFacts } from "./chain.ts";
import { recordFailed } from "./database.ts";
import { raiseNext, searchLost } from "./lost-commits.ts";
import { conclude, hear, type Actor } from "./outcomes.ts";
import { has, membersOf, type PendingNonceState, type Task } from "./state.ts";

/** Closes the nonces whose payments were all found in the block. */
export function closeResolved(
  actor: Actor,
  { hash, payments, height }: Extract<Task, { do: "close_resolved" }>,
): void {
  const { state, process } = actor;
  for (const pending of process.pending) {
    const id = pending.attempts.find((one) => state.database.transactions[one]?.hash === hash);
    if (id === undefined) continue;
    pending.unresolved &= ~payments;
    if (pending.unresolved === 0) close(actor, pending, id, height);
  }
}

/** Ends a nonce: it leaves the hand at once, and its commit follows. */
function close(
  { state, process }: Actor,
  pending: PendingNonceState,
  minedId: number | undefined,
  height: number,
): void {
  process.pending = process.pending.filter((one) => one !== pending);
  const { replacing } = process;
  const replacement = state.database.transactions[replacing?.id ?? -1];
  if (replacing && replacement?.wallet === pending.wallet && replacement.nonce === pending.nonce) {
    process.replacing = { ...replacing, isInHand: false };
  }
  process.tasks.unshift(
    minedId === undefined
      ? { do: "drop", transactions: pending.attempts }
      : { do: "close", mined: minedId, height },
  );
}

/** Looks at the nonces that the chain counts as used: by an attempt that shows no log, or by others. */
export function checkUsed(actor: Actor): void {
  const { state, process } = actor;
  const { chain, database } = state;
  const seen = factsAt(chain, process.seen.length);
  const now = nodeFacts(state);
  for (const wallet of membersOf(process.holds)) raiseNext(actor, wallet, seen.counts[wallet] ?? 0);
  for (const pending of process.pending) {
    pending.isUsedUp = pending.nonce < (seen.counts[pending.wallet] ?? 0);
    if (!pending.isUsedUp) continue;
    const minedId = pending.attempts.find((id) => {
      const hash = database.transactions[id]?.hash;
      return hash != null && now.receipts[hash] !== undefined;
    });
    const mined = database.transactions[minedId ?? -1];
    if (minedId === undefined || !mined?.hash) {
      checkLost(actor, pending);
      continue;
    }
    const height = now.receipts[mined.hash] ?? 0;
    const carried = mined.carries & pending.unresolved;
    const all = pending.attempts.reduce(
      (payments, id) => payments | (database.transactions[id]?.carries ?? 0),
      0,
    );
    const counts = { payments: membersOf(all).length, carried: membersOf(carried).length };
    const step = usedNonceStep(height, counts, { head: process.seen.length, finalized: 0 });
    if (step === "wait") continue;
    if (step === "resolve") pending.unresolved &= ~resolveMined(actor, pending, carried);
    const { unresolved } = pending;
    if (unresolved !== 0) process.tasks.unshift({ do: "requeue", payments: unresolved });
    close(actor, pending, minedId, height);
  }
}

/** Asks a node that has the newest final block, which has the receipts in it as well. */
function checkLost(actor: Actor, pending: PendingNonceState): void {
  const { chain, database } = actor.state;
  const { counts, receipts } = chain.final;
  const known = pending.attempts.map((id) => {
    const height = receipts[database.transactions[id]?.hash ?? ""];
    return height === undefined ? undefined : { succeeded: true, blockNumber: height, events: [] };
  });
  const use = { count: counts[pending.wallet] ?? 0, receipts: known };
  if (!isUsedByOthers(use, pending.nonce)) return;
  // The other sender may have been this service, before its database lost it.
  searchLost(actor);
  const { unresolved } = pending;
  if (unresolved !== 0) actor.process.tasks.unshift({ do: "requeue", payments: unresolved });
  close(actor, pending, undefined, 0);
}

/**
 * Resolves what a final transaction carried and did not show; returns what has its outcome. Another
 * payment of its batch may have been the cause, so a batch's is settled again where nothing hinders it.
 */
function resolveMined(actor: Actor, pending: PendingNonceState, carried: number): number {
  const { state, process } = actor;
  const { database, chain } = state;
  const facts = headOf(chain);
  const simulated = nodeFacts(state);
  const hashes = pending.attempts.map((id) => database.transactions[id]?.hash ?? null);
  let resolved = 0;
  for (const payment of membersOf(carried)) {
    const row = database.settlements[payment];
    resolved |= 1 << payment;
    const isCarried =
      row?.state === "submitted" && (row.hash === null || hashes.includes(row.hash));
    if (!isCarried) continue;
    const use = facts.uses[payment];
    if (use) {
      process.proofs[payment] = use;
      conclude(actor);
      continue;
    }
    const isHindered = has(simulated.expired | simulated.poor, payment);
    const isBatch = pending.attempts.some((id) => (database.transactions[id]?.carries ?? 0) === 3);
    if (isBatch && !isHindered) resolved &= ~(1 << payment);
    else recordFailed(database, payment);
    hear({ state, process });
  }
  return resolved;
}
