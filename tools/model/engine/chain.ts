/**
 * The chain: relayer transactions are mined in the order of their nonces, the token accepts each
 * authorization once, and blocks above the final one can be reorganised out.
 */
import { mayBeMined } from "@farthing/engine/testing/rules";
import {
  has,
  membersOf,
  type Block,
  type ChainState,
  type Facts,
  type ProcessState,
  type State,
  type Use,
} from "./state.ts";

/** Blocks that can be reorganised out. */
export const finalDepth = 2;

/** The fields of a relayer transaction; equal fields are equal bytes. */
export interface Bytes {
  readonly wallet: number;
  readonly nonce: number;
  readonly carries: number;
  readonly price: number;
}

export function bytesOf({ wallet, nonce, carries, price }: Bytes): string {
  return `relay.${wallet}.${nonce}.${carries}.${price}`;
}

/** What a transaction of anyone does. `submit`, `cancel`, `drain`, `refill`: of a payment; `intrude`: of a wallet. */
function parse(transaction: string) {
  const [kind = "", ...numbers] = transaction.split(".");
  const [first = 0, nonce = 0, carries = 0, price = 0] = numbers.map(Number);
  return { kind, first, nonce, carries, price };
}

/** Applies a transaction, which must fit, to what the chain says before it. */
function apply(facts: Facts, transaction: string, at: { height: number; block: number }): void {
  const { kind, first, carries } = parse(transaction);
  const use = (payment: number, how: Use["kind"]) => {
    facts.uses[payment] = { kind: how, by: transaction, ...at };
  };
  const isPayable = (payment: number) =>
    !facts.uses[payment] && !has(facts.expired, payment) && !has(facts.poor, payment);
  if (kind === "relay" || kind === "intrude") facts.counts[first] = (facts.counts[first] ?? 0) + 1;
  if (kind === "relay") {
    facts.receipts[transaction] = at.height;
    for (const payment of membersOf(carries)) if (isPayable(payment)) use(payment, "used");
  }
  if (kind === "submit" && isPayable(first)) use(first, "used");
  if (kind === "cancel" && !facts.uses[first]) use(first, "canceled");
  if (kind === "drain") facts.poor |= 1 << first;
  if (kind === "refill") facts.poor &= ~(1 << first);
}

/** Whether a block may contain the transaction next. */
function fits(facts: Facts, transaction: string, price: number): boolean {
  const bytes = parse(transaction);
  const { kind, first, nonce } = bytes;
  switch (kind) {
    case "relay":
      return facts.counts[first] === nonce && bytes.price >= price;
    case "intrude":
      return facts.counts[first] === nonce;
    case "submit":
      return !facts.uses[first] && !has(facts.expired, first) && !has(facts.poor, first);
    case "cancel":
      return !facts.uses[first];
    case "drain":
      return !has(facts.poor, first);
    default:
      return has(facts.poor, first);
  }
}

/** Whether a block that is not final contains the transaction. */
export function isInBlock({ blocks }: ChainState, transaction: string): boolean {
  return blocks.some(({ transactions }) => transactions.includes(transaction));
}

/** What the chain says at a height. */
export function factsAt({ final, blocks }: ChainState, height: number): Facts {
  const facts: Facts = {
    uses: [...final.uses],
    counts: [...final.counts],
    expired: final.expired,
    poor: final.poor,
    receipts: { ...final.receipts },
  };
  for (const [index, block] of blocks.slice(0, height).entries()) {
    const at = { height: index + 1, block: block.id };
    for (const transaction of block.transactions) apply(facts, transaction, at);
    facts.expired |= block.expires;
  }
  return facts;
}

export function headOf(chain: ChainState): Facts {
  return factsAt(chain, chain.blocks.length);
}

/** What a node says that answers for its own newest block, which may be older than the chain's. */
export function nodeFacts({ chain, behind }: State): Facts {
  const height = chain.blocks.length - behind;
  if (height >= 0) return factsAt(chain, height);
  // Older than the newest final block: it knows nothing of what this machine is about.
  const { uses, counts } = chain.final;
  return {
    uses: uses.map(() => null),
    counts: counts.map(() => 0),
    expired: 0,
    poor: 0,
    receipts: {},
  };
}

/** Transactions that the next block may contain. */
export function listMinable(chain: ChainState): string[] {
  const facts = headOf(chain);
  return chain.pool.filter(
    (transaction) => fits(facts, transaction, chain.price) && !isInBlock(chain, transaction),
  );
}

/** A name that nothing in the state uses. */
function freeName({ chain, processes, database, standby }: State): number {
  const used = new Set([
    ...chain.blocks.map(({ id }) => id),
    ...processes.flatMap(({ seen, proofs }) => [...seen, ...proofs.map((use) => use?.block ?? 0)]),
    ...processes.flatMap(({ tasks }) =>
      tasks.flatMap((task) => (task.do === "revert" ? task.blocks : [])),
    ),
    ...[database, standby].flatMap((one) => one?.settlements.map((row) => row?.block ?? 0) ?? []),
  ]);
  let name = 1;
  while (used.has(name)) name++;
  return name;
}

/** Adds a block; the lowest one becomes final where there are too many. */
export function addBlock(state: State, transactions: readonly string[], expires: number): void {
  const { chain } = state;
  const block: Block = { id: freeName(state), transactions, expires };
  chain.blocks.push(block);
  // What was mined stays in the pools of nodes: after a reorganisation it can be mined again.
  if (chain.blocks.length > finalDepth) finalize(state);
}

/** The lowest block becomes final. */
function finalize(state: State): void {
  const { chain } = state;
  const [lowest] = chain.blocks;
  if (!lowest) return;
  chain.final = factsAt(chain, 1);
  chain.blocks.shift();
  const settle = (use: Use | null) =>
    use && { ...use, height: lower(use.height), block: nameAfter(use.block, lowest.id) };
  chain.final.uses = chain.final.uses.map(settle);
  chain.final.receipts = Object.fromEntries(
    Object.keys(chain.final.receipts).map((hash) => [hash, 0]),
  );
  // The same bytes are mined once.
  const dead = new Set([
    ...chain.pool.filter((transaction) => isOver(chain.final, transaction)),
    ...lowest.transactions,
  ]);
  chain.pool = chain.pool.filter((transaction) => !dead.has(transaction));
  for (const database of [state.database, state.standby]) {
    for (const row of database?.settlements ?? []) {
      if (row?.height == null || row.block === null) continue;
      row.height = lower(row.height);
      row.block = nameAfter(row.block, lowest.id);
    }
    for (const row of database?.transactions ?? []) {
      if (row.height !== null) row.height = lower(row.height);
    }
  }
  for (const process of state.processes) {
    process.seen.shift();
    process.proofs = process.proofs.map(settle);
    process.tasks = process.tasks.map((task) => lowerTask(task, lowest.id));
    forgetEnded(process, chain.final);
  }
}

/** Nonces that a final block has used hold up nothing. */
export function forgetEnded(process: ProcessState, { counts }: Facts): void {
  if (process.lost.every((known, wallet) => !mayBeMined(counts[wallet] ?? 0, known))) {
    process.lost = [];
  }
}

function lower(height: number): number {
  return Math.max(0, height - 1);
}

function lowerTask(
  task: State["processes"][number]["tasks"][number],
  finalName: number,
): typeof task {
  switch (task.do) {
    case "close":
    case "close_resolved":
    case "reopen_from":
      return { ...task, height: lower(task.height) };
    case "revert":
      return {
        ...task,
        height: lower(task.height),
        blocks: task.blocks.map((block) => nameAfter(block, finalName)),
      };
    default:
      return task;
  }
}

/** A final block loses its name; a block that left the chain keeps it. */
function nameAfter(block: number, finalName: number): number {
  return block === finalName ? 0 : block;
}

/** Whether no block can ever contain a transaction. */
export function isOver(final: Facts, transaction: string): boolean {
  const { kind, first, nonce } = parse(transaction);
  if (kind === "relay" || kind === "intrude") return nonce < (final.counts[first] ?? 0);
  if (kind === "submit") return final.uses[first] != null || has(final.expired, first);
  return kind === "cancel" && final.uses[first] != null;
}
