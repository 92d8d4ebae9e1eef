/** The same state with the two payments exchanged. */
import { nameBlocks } from "./same-states.ts";
import type { DatabaseState, Facts, ProcessState, State, Task, Use } from "./state.ts";

const swapBits = (set: number) => ((set & 1) << 1) | ((set & 2) >> 1);

function swapBytes(transaction: string): string {
  const parts = transaction.split(".");
  if (parts[0] === "relay") return parts.with(3, `${swapBits(Number(parts[3]))}`).join(".");
  if (parts[0] === "intrude") return transaction;
  return parts.with(1, `${1 - Number(parts[1])}`).join(".");
}

const swapHash = (hash: string | null): string | null => hash && swapBytes(hash);

const swapUse = (use: Use | null): Use | null => use && { ...use, by: swapBytes(use.by) };

function swapFacts(facts: Facts): Facts {
  return {
    uses: facts.uses.map(swapUse).toReversed(),
    counts: facts.counts,
    expired: swapBits(facts.expired),
    poor: swapBits(facts.poor),
    receipts: Object.fromEntries(
      Object.entries(facts.receipts).map(([hash, height]) => [swapBytes(hash), height]),
    ),
  };
}

function swapDatabase(database: DatabaseState): DatabaseState {
  return {
    settlements: database.settlements
      .map((row) => row && { ...row, hash: swapHash(row.hash) })
      .toReversed(),
    transactions: database.transactions.map((row) => {
      return { ...row, carries: swapBits(row.carries), hash: swapHash(row.hash) };
    }),
    wallets: database.wallets,
  };
}

function swapTask(task: Task): Task {
  if (task.do === "requeue") return { ...task, payments: swapBits(task.payments) };
  if (task.do === "close_resolved") {
    return { ...task, hash: swapBytes(task.hash), payments: swapBits(task.payments) };
  }
  return task;
}

function swapProcess(process: ProcessState): ProcessState {
  return {
    ...process,
    open: swapBits(process.open),
    watched: swapBits(process.watched),
    proofs: process.proofs.map(swapUse).toReversed(),
    queue: swapBits(process.queue),
    pending: process.pending.map((one) => ({ ...one, unresolved: swapBits(one.unresolved) })),
    tasks: process.tasks.map(swapTask),
  };
}

export function mirrored(state: State): State {
  const { chain, database, standby, behind, processes } = state;
  const mirror: State = {
    chain: {
      final: swapFacts(chain.final),
      blocks: chain.blocks.map(({ id, transactions, expires }) => {
        return { id, transactions: transactions.map(swapBytes), expires: swapBits(expires) };
      }),
      pool: chain.pool.map(swapBytes).toSorted(),
      price: chain.price,
    },
    database: swapDatabase(database),
    standby: standby && swapDatabase(standby),
    behind,
    processes: processes.map(swapProcess),
    toldConfirmed: swapBits(state.toldConfirmed),
    toldFailed: swapBits(state.toldFailed),
    faults: state.faults,
  };
  // Their order is that of the payments.
  nameBlocks(mirror);
  return mirror;
}
