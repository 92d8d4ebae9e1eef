/**
 * Makes states equal from which the same follows. Each reduction says why nothing is lost by it; a test
 * explores runs with and without them.
 */
import { finalDepth, headOf, isInBlock, isOver } from "./chain.ts";
import { membersOf, type Bounds, type State, type Use } from "./state.ts";

/** Changes a state into the one that stands for all that are like it. */
export function standForAll(state: State, bounds: Bounds): void {
  nameBlocks(state);
  forgetDead(state);
  forgetTold(state, bounds);
}

/**
 * Names blocks anew in the order in which they stand in the state. Names are compared with each other and
 * with 0 alone, so that a state and the same with other names take the same steps.
 */
export function nameBlocks(state: State): void {
  const names = new Map<number, number>([[0, 0]]);
  const rename = (name: number): number => {
    const known = names.get(name) ?? names.size;
    names.set(name, known);
    return known;
  };
  const renameUse = (use: Use | null) => {
    if (use) use.block = rename(use.block);
  };
  state.chain.blocks = state.chain.blocks.map((block) => ({ ...block, id: rename(block.id) }));
  state.chain.final.uses.forEach(renameUse);
  for (const process of state.processes) {
    process.seen = process.seen.map(rename);
    process.proofs.forEach(renameUse);
    process.tasks = process.tasks.map((task) =>
      task.do === "revert" ? { ...task, blocks: task.blocks.map(rename) } : task,
    );
  }
  for (const database of [state.database, state.standby]) {
    for (const row of database?.settlements ?? []) {
      if (row && row.block !== null) row.block = rename(row.block);
    }
  }
}

/**
 * Nodes forget what no block can contain any more. Without a further reorganisation, that is what the head
 * excludes: its counts only grow, and what it has used or contains stays so.
 */
function forgetDead({ chain, faults }: State): void {
  if (faults.reorganisations > 0) return;
  const head = headOf(chain);
  chain.pool = chain.pool.filter(
    (transaction) => !isOver(head, transaction) && !isInBlock(chain, transaction),
  );
}

/**
 * What callers were told is read by promises alone. That of confirmations is not looked at once a
 * reorganisation was, unless they are final; that of failures asks for our own transaction in a final block,
 * which none is any more where another one has ended the payment there.
 */
function forgetTold(state: State, bounds: Bounds): void {
  const { faults, chain } = state;
  const isToldBeforeFinal = bounds.confirmations <= finalDepth;
  if (isToldBeforeFinal && faults.reorganisations < bounds.faults.reorganisations)
    state.toldConfirmed = 0;
  for (const payment of membersOf(state.toldFailed)) {
    const use = chain.final.uses[payment];
    if (use && !(use.kind === "used" && use.by.startsWith("relay."))) {
      state.toldFailed &= ~(1 << payment);
    }
  }
}
