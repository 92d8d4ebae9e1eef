/**
 * The abstract machine of the engine: every step that the chain, its users, the machines and the
 * processes can take from a state. What a step does to payments, transactions and records is decided by
 * the tables and rules of the packages, which are imported.
 */
import type { Machine, Step } from "../checker/machine.ts";
import { addBlock, finalDepth, headOf, listMinable } from "./chain.ts";
import { claim, isUnassigned, listStranded } from "./database.ts";
import {
  beginRecovery,
  followBlock,
  hear,
  noticeReorganisation,
  watchFailed,
  type Actor,
  hasOpenElsewhere,
} from "./outcomes.ts";
import { brokenPromise, isOver } from "./promises.ts";
import {
  has,
  membersOf,
  paymentNames,
  prices,
  type Bounds,
  type Faults,
  type State,
} from "./state.ts";
import { bareTransactions } from "./nonces.ts";
import { canMakeTask, makeTask, reloadAll } from "./tasks.ts";
import {
  actionOn,
  canCarry,
  canSign,
  canTake,
  carry,
  dropLate,
  holds,
  lateBytes,
  loadWallet,
  loseWallet,
  newestOf,
  planOf,
  repliesTo,
  replace,
  send,
  sign,
  takeWallet,
} from "./wallets.ts";
import { mirrored } from "./mirror.ts";
import { initialState, stopped } from "./initial.ts";
import { namesOf, wordsOf } from "./words.ts";

type Change = (draft: State) => void;

/** Collects the steps from a state. Each change is made on a copy. */
class Steps {
  readonly list: Step<State>[] = [];
  readonly #text: string;

  constructor(state: State) {
    this.#text = JSON.stringify(state);
  }

  /** What happens by itself, in time. */
  add(name: string, change: Change): void {
    this.#make(name, change, false);
  }

  /** What need not happen. */
  addFault(name: string, change: Change): void {
    this.#make(name, change, true);
  }

  #make(name: string, change: Change, isFault: boolean): void {
    const to: State = JSON.parse(this.#text);
    change(to);
    noteTold(to);
    this.list.push({ name, to, isFault });
  }
}

/** Callers ask at every moment, so whatever the database says is told. */
function noteTold(state: State): void {
  for (const [payment, row] of state.database.settlements.entries()) {
    if (row?.state === "confirmed") state.toldConfirmed |= 1 << payment;
    if (row?.state === "failed") state.toldFailed |= 1 << payment;
  }
}

export function createEngineMachine(bounds: Bounds): Machine<State> {
  return {
    name: "engine",
    initial: initialState(bounds),
    steps: (state) => stepsOf(state, bounds),
    broken: (state) => brokenPromise(state, bounds),
    isEnd: isOver,
    isCut: (state) => isCut(state, bounds),
    ...(bounds.payments === 2 ? { mirror: mirrored } : {}),
  };
}

function stepsOf(state: State, bounds: Bounds): Step<State>[] {
  const steps = new Steps(state);
  addChainSteps(state, steps);
  addUserSteps(state, bounds, steps);
  for (const [self, process] of state.processes.entries()) {
    const actorIn = (draft: State): Actor => {
      return { state: draft, process: draft.processes[self] ?? stopped(), bounds };
    };
    const actor = { state, process, bounds };
    const named = { steps, actorIn, self, who: `process ${self + 1}` };
    if (process.isUp) {
      addCallerSteps(actor, named);
      addFollowerSteps(actor, named);
      const late = lateBytes(actor);
      if (late === undefined) addSendingSteps(actor, named);
      else
        steps.add(`${named.who} drops bytes that were signed too late`, (draft) =>
          dropLate(actorIn(draft), late),
        );
    }
    addMachineSteps(actor, named);
  }
  return steps.list;
}

interface Named {
  readonly steps: Steps;
  readonly self: number;
  readonly who: string;
  actorIn(draft: State): Actor;
}

/** Blocks, with or without a transaction; reorganisations and the price. */
function addChainSteps(state: State, steps: Steps): void {
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

/** Third parties and payers, whose transactions reach the nodes. */
function addUserSteps({ faults, chain }: State, bounds: Bounds, steps: Steps): void {
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

/** Verify and settle. A repeat finds the row and is told what it says. */
function addCallerSteps({ state, process }: Actor, { steps, actorIn, who }: Named): void {
  for (const [payment, row] of state.database.settlements.entries()) {
    const { uses, expired, poor } = headOf(state.chain);
    if (row || uses[payment] || has(expired | poor, payment)) continue;
    steps.add(`${who} claims ${paymentNames[payment]}`, (draft) => {
      const { process: one } = actorIn(draft);
      claim(draft.database, payment);
      one.open |= 1 << payment;
      one.queue |= 1 << payment;
    });
  }
  const queued = state.database.settlements.findIndex(
    (row, payment) => isUnassigned(row) && !has(process.queue, payment),
  );
  if (queued >= 0 && process.tasks.length === 0) {
    steps.add(`${who} takes ${paymentNames[queued]} into its queue`, (draft) => {
      actorIn(draft).process.queue |= 1 << queued;
    });
  }
}

/** Blocks one after the other, and what follows from each. */
function addFollowerSteps(actor: Actor, { steps, actorIn, who }: Named): void {
  const { state, process } = actor;
  const { blocks } = state.chain;
  const [task] = process.tasks;
  if (task) {
    const name = `${who} makes its next task: ${task.do.replaceAll("_", " ")}`;
    if (canMakeTask(actor)) steps.add(name, (draft) => makeTask(actorIn(draft)));
    return;
  }
  const wrong = process.seen.findIndex((id, index) => blocks[index]?.id !== id);
  if (wrong >= 0) {
    steps.add(`${who} notices the reorganisation from height ${wrong + 1}`, (draft) =>
      noticeReorganisation(actorIn(draft), wrong + 1),
    );
  } else if (blocks.length > process.seen.length) {
    steps.add(`${who} follows the block at height ${process.seen.length + 1}`, (draft) =>
      followBlock(actorIn(draft)),
    );
  }
  if (process.watched !== 0) {
    steps.add(`${who} looks at failed payments`, (draft) => watchFailed(actorIn(draft)));
  }
  if (state.processes.length > 1) {
    steps.add(`${who} hears of changes`, (draft) => hear(actorIn(draft)));
  }
  if (membersOf(process.holds).some((wallet) => hasOpenElsewhere(actor, wallet))) {
    steps.add(`${who} looks for nonces that are open`, (draft) => reloadAll(actorIn(draft)));
  }
  const payments = listStranded(state.database);
  if (payments !== 0) {
    steps.add(`${who} looks at payments that wait`, (draft) => {
      actorIn(draft).process.tasks.push({ do: "requeue", payments });
    });
  }
}

/** What wallets do, one step after the other. */
function addSendingSteps(actor: Actor, named: Named): void {
  for (let wallet = 0; wallet < actor.bounds.wallets; wallet++) {
    addWalletSteps(actor, wallet, named);
  }
  addNonceSteps(actor, named);
}

function addWalletSteps(actor: Actor, wallet: number, { steps, actorIn, self, who }: Named): void {
  const { state, process, bounds } = actor;
  const whose = `${who} and wallet ${wallet + 1}:`;
  if (canTake(actor, wallet)) {
    steps.add(`${whose} the lease is taken`, (draft) => takeWallet(actorIn(draft), wallet, self));
  }
  if (!has(process.holds, wallet)) return;
  if (!holds(actor, wallet, self)) {
    steps.add(`${whose} the lease is lost`, (draft) => loseWallet(actorIn(draft), wallet));
    return;
  }
  const bare = canSign(actor, wallet);
  if (bare !== undefined) {
    const row = state.database.transactions[bare];
    const what = `nonce ${row?.nonce} with ${namesOf(row?.carries ?? 0)}`;
    steps.add(`${whose} ${what} is signed and stored`, (draft) => sign(actorIn(draft), bare));
  }
  const isIdle = bareTransactions(state, wallet).length === 0;
  if (!has(process.loaded, wallet) && isIdle) {
    steps.add(`${whose} stored transactions are loaded`, (draft) =>
      loadWallet(actorIn(draft), wallet),
    );
  }
  const all = (1 << bounds.payments) - 1;
  for (let payments = 1; payments <= all; payments++) {
    const isBatch = membersOf(payments).length > 1;
    if (!isIdle || (isBatch && !bounds.batches) || !canCarry(actor, wallet, payments)) continue;
    steps.add(`${whose} a nonce is reserved for ${namesOf(payments)}`, (draft) =>
      carry(actorIn(draft), wallet, payments),
    );
  }
}

/** Sends, and recovery of what is not mined. */
function addNonceSteps(actor: Actor, { steps, actorIn, self, who }: Named): void {
  const { process, bounds } = actor;
  for (const [index, pending] of process.pending.entries()) {
    if (!holds(actor, pending.wallet, self)) continue;
    const whose = `${who} and nonce ${pending.nonce} of wallet ${pending.wallet + 1}:`;
    const find = (draft: State) => {
      const found = actorIn(draft).process.pending[index];
      if (!found) throw new Error("A nonce in hand is in hand in a copy");
      return found;
    };
    const action = actionOn(actor, pending);
    const isBare = bareTransactions(actor.state, pending.wallet).length > 0;
    const plan = isBare ? undefined : planOf(actor, pending);
    if (plan && pending.attempts.length < bounds.attempts) {
      steps.add(`${whose} another transaction takes its place (${action})`, (draft) => {
        replace(actorIn(draft), plan);
      });
    }
    const isSent = action === "send" || action === "fan_out" || action === "move";
    if (!isSent || !newestOf(actor, pending)) continue;
    for (const reply of repliesTo(actor, pending)) {
      const name = `${whose} sent, ${reply.words}`;
      const change = (draft: State) => send(actorIn(draft), find(draft), reply);
      if (reply.isFault) steps.addFault(name, change);
      else steps.add(name, change);
    }
  }
}

/** Starts, crashes, and leases that end. */
function addMachineSteps({ state, process }: Actor, { steps, actorIn, self, who }: Named): void {
  const { faults, database, chain } = state;
  if (!process.isUp) {
    steps.add(`${who} starts`, (draft) => {
      const actor = actorIn(draft);
      actor.process.isUp = true;
      actor.process.seen = chain.blocks.map(({ id }) => id);
      beginRecovery(actor);
      for (const [payment, row] of draft.database.settlements.entries()) {
        if (row?.state === "queued") actor.process.queue |= 1 << payment;
      }
    });
  } else if (faults.crashes > 0) {
    steps.addFault(`${who} crashes`, (draft) => {
      draft.faults.crashes--;
      draft.processes[self] = stopped();
    });
  }
  for (const [wallet, row] of database.wallets.entries()) {
    if (row.holder !== self) continue;
    const name = `the lease of ${who} on wallet ${wallet + 1} ends`;
    const change = (draft: State) => {
      const own = draft.database.wallets[wallet];
      if (own) own.holder = null;
    };
    if (!has(process.holds, wallet)) steps.add(name, change);
    else if (faults.freezes > 0) {
      steps.addFault(name, (draft) => {
        draft.faults.freezes--;
        change(draft);
      });
    }
  }
}

/** Whether the bound on nonces or on attempts keeps a payment from going on. */
function isCut(state: State, bounds: Bounds): boolean {
  const { settlements, wallets } = state.database;
  const isFull = wallets.some(({ next }) => next >= bounds.nonces);
  if (isFull && settlements.some(isUnassigned)) return true;
  return state.processes.some((process) =>
    process.pending.some(
      (pending) =>
        !pending.isUsedUp &&
        pending.attempts.length >= bounds.attempts &&
        planOf({ state, process, bounds }, pending) !== undefined,
    ),
  );
}
