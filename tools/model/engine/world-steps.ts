/** What happens around the processes: on the chain, at its users, at nodes and at the database. */
import { addBlock, finalDepth, headOf, listMinable } from "./chain.ts";
import { failOver, leaveBehind } from "./lost-commits.ts";
import { has, paymentNames, prices, type Bounds, type Faults, type State } from "./state.ts";
import type { Steps } from "./steps.ts";
import { wordsOf } from "./words.ts";

/** Blocks that the oldest node is behind: it lacks the newest final block as well. */
const oldestBehind = finalDepth + 1;

/** Blocks, with or without a transaction; reorganisations and the price. */
export function addChainSteps(state: State, steps: Steps): void {
  const { chain, faults, processes } = state;
  const [lowest] = chain.blocks;
  // A process that is further behind is the same as one that starts again.
  const isFollowed =
    chain.blocks.length < finalDepth ||
    processes.every(({ isUp, seen }) => !isUp || seen[0] === lowest?.id);
  if (isFollowed) {
    steps.add("a block without a payment is made", (draft) => addBlock(draft, [], 0));
    for (const transaction of listMinable(chain)) {
      steps.add(`a block contains ${wordsOf(transaction)}`, (draft) =>
        addBlock(draft, [transaction], 0),
      );
    }
    const { expired } = headOf(chain);
    for (const payment of chain.final.uses.keys()) {
      if (faults.expiries === 0 || has(expired, payment)) continue;
      steps.add(`a block is made after the time of ${paymentNames[payment]}`, (draft) => {
        draft.faults.expiries--;
        addBlock(draft, [], 1 << payment);
      });
    }
  }
  if (faults.reorganisations > 0) {
    for (let depth = 1; depth <= chain.blocks.length; depth++) {
      steps.addFault(`a reorganisation takes out ${depth} blocks`, (draft) => {
        draft.faults.reorganisations--;
        draft.chain.blocks.splice(draft.chain.blocks.length - depth);
      });
    }
  }
  if (faults.prices > 0 && chain.price === prices.before) {
    steps.addFault("the least price rises", (draft) => {
      draft.faults.prices--;
      draft.chain.price = prices.after;
    });
  }
}

/** A node that is behind for a while. */
export function addNodeSteps({ behind, faults }: State, steps: Steps): void {
  if (behind > 0) {
    steps.add("the node catches up", (draft) => {
      draft.behind = 0;
    });
    return;
  }
  if (faults.delays === 0) return;
  for (const blocks of [1, oldestBehind]) {
    steps.addFault(`the node falls behind by ${blocks} blocks`, (draft) => {
      draft.faults.delays--;
      draft.behind = blocks;
    });
  }
}

/** A database that loses its last commits. */
export function addDatabaseSteps(
  { standby, database, faults }: State,
  bounds: Bounds,
  steps: Steps,
): void {
  if (faults.failovers === 0) return;
  if (!standby) steps.addFault("the standby falls behind", leaveBehind);
  else if (JSON.stringify(standby) !== JSON.stringify(database)) {
    steps.addFault("the standby takes over", (draft) =>
      failOver(draft, (process) => ({ state: draft, process, bounds })),
    );
  }
}

/** Third parties and payers, whose transactions reach the nodes. */
export function addUserSteps({ faults, chain }: State, bounds: Bounds, steps: Steps): void {
  const offer = (fault: keyof Faults, transaction: string) => {
    if (faults[fault] === 0 || chain.pool.includes(transaction)) return;
    steps.addFault(`someone sends ${wordsOf(transaction)}`, (draft) => {
      draft.faults[fault]--;
      draft.chain.pool = [...draft.chain.pool, transaction].toSorted();
    });
  };
  for (let payment = 0; payment < bounds.payments; payment++) {
    offer("submissions", `submit.${payment}`);
    offer("cancellations", `cancel.${payment}`);
    offer("drains", `drain.${payment}`);
    const refill = `refill.${payment}`;
    if (has(headOf(chain).poor, payment) && !chain.pool.includes(refill)) {
      steps.add(`someone sends ${wordsOf(refill)}`, (draft) => {
        draft.chain.pool = [...draft.chain.pool, refill].toSorted();
      });
    }
  }
  for (let wallet = 0; wallet < bounds.wallets; wallet++) {
    const nonce = headOf(chain).counts[wallet] ?? 0;
    offer("intrusions", `intrude.${wallet}.${nonce}`);
  }
}
