/**
 * The abstract machine of the engine: every step that the chain, its users, the machines and the
 * processes can take from a state. What a step does to payments, transactions and records is decided by
 * the tables and rules of the packages, which are imported.
 */
import type { Machine, Step } from "../checker/machine.ts";
import { nodeFacts } from "./chain.ts";
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
import { has, membersOf, paymentNames, type Bounds, type State } from "./state.ts";
import { forgetWallet, hasGoneBack } from "./lost-commits.ts";
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
import { Steps } from "./steps.ts";
import { namesOf } from "./words.ts";
import { addChainSteps, addDatabaseSteps, addNodeSteps, addUserSteps } from "./world-steps.ts";

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
  const steps = new Steps(state, bounds);
  addChainSteps(state, steps);
  addUserSteps(state, bounds, steps);
  addNodeSteps(state, steps);
  addDatabaseSteps(state, bounds, steps);
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

/** Verify and settle. A repeat finds the row and is told what it says. */
function addCallerSteps({ state, process }: Actor, { steps, actorIn, who }: Named): void {
  // While the database is compared with the chain, callers are told to come again.
  const isComparing = process.tasks.some((task) => task.do === "compare");
  for (const [payment, row] of state.database.settlements.entries()) {
    const { uses, expired, poor } = nodeFacts(state);
    if (isComparing || row || uses[payment] || has(expired | poor, payment)) continue;
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
  // Of what the process knows to be open.
  const payments = listStranded(state.database) & process.open;
  if (payments !== 0) {
    steps.add(`${who} looks at payments that wait`, (draft) => {
      const tasks = [
        { do: "reopen_carriers" },
        { do: "reload" },
        { do: "requeue", payments },
      ] as const;
      actorIn(draft).process.tasks.push(...tasks);
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
  if (hasGoneBack(actor, wallet)) {
    steps.add(`${whose} the database is seen to have gone back`, (draft) =>
      forgetWallet(actorIn(draft), wallet),
    );
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
function addMachineSteps(
  { state, process, bounds }: Actor,
  { steps, actorIn, self, who }: Named,
): void {
  const { faults, database, chain } = state;
  if (!process.isUp) {
    steps.add(`${who} starts`, (draft) => {
      const actor = actorIn(draft);
      actor.process.isUp = true;
      actor.process.seen = chain.blocks.map(({ id }) => id);
      if (bounds.faults.failovers > 0) actor.process.tasks.push({ do: "compare" });
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
