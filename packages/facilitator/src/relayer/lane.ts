/**
 * A lane: one wallet on one network, worked by one process at a time. Everything that uses the
 * wallet goes through here, one step after the other: take nonces, sign, store the bytes, send in
 * nonce order. What is not mined is helped on by the remedies of remedy.ts.
 */
import type { Clock } from "../base/clock.ts";
import { Fault, messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import { readTransactionCount } from "../chain/reads.ts";
import type {
  LaneLease,
  RelayerTransaction,
  TransactionPlan,
} from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import type { Store } from "../storage/store.ts";
import { broadcast } from "./broadcast.ts";
import { plainTransferGas, replacementPrice, selfCallGas } from "./fees.ts";
import { leaseMs, leaseRenewMs, type LeaseOwner } from "./lease.ts";
import { remedyOf, type Remedy } from "./remedy.ts";
import type { Signer } from "./sign.ts";
import { addAttempt, costOf, createSlot, newestOf, type Slot } from "./slot.ts";

/**
 * Transactions in flight per wallet: XDC nodes refuse a nonce more than ten above what they have
 * seen, and every node applies that to its own view, so eight leaves room for a lagging one.
 */
export const inFlightMaxDefault = 8;

/** What a lane tells. */
export interface LaneEvents {
  /** Bytes are stored; from here on only the chain may say "failed". */
  onSubmitted(settlements: readonly Settlement[]): void;
  /** A node has the bytes. */
  onSent(settlementIds: readonly string[]): void;
}

/** The transaction of a nonce that is in a block. */
export interface MinedAttempt {
  readonly transaction: RelayerTransaction;
  readonly blockNumber: number;
}

/** A working lane. */
export interface Lane {
  readonly signer: Signer;
  /** Whether this process works the wallet. */
  isOurs(): boolean;
  /** How many more transactions it takes now; 0 while it is paused, broke or not ours. */
  room(): number;
  /** Whether it can pay for a transaction beside those on their way. */
  canAfford(plan: TransactionPlan): boolean;
  /** Nonces on their way, lowest first. */
  slots(): readonly Slot[];
  /**
   * Takes nonces, signs, stores, sends; gives the settlements it carries now. Others of a plan were
   * taken by another process. Throws when nothing was taken for any plan.
   */
  submit(plans: readonly TransactionPlan[]): Promise<ReadonlySet<string>>;
  /** Ends a nonce that is used up, by a transaction of ours or by another one. */
  close(slot: Slot, mined: MinedAttempt | undefined): Promise<void>;
  /** Takes transactions back whose block was reorganised away. */
  reopen(transactions: readonly RelayerTransaction[]): void;
  /** Helps on what is not mined; told the head and what the wallet holds. */
  onHead(head: { readonly number: number; readonly balance: bigint | undefined }): Promise<void>;
  /** Other software used the wallet: nonces below `count` are gone. */
  raiseNonce(count: number): Promise<void>;
  /** Keeps or takes the lease, and picks up what is stored. Called now and then. */
  keep(): Promise<void>;
  /** Finishes what is being signed and gives the lease back. */
  stop(): Promise<void>;
}

/** What a lane works with. */
export interface LaneDeps {
  readonly chain: Chain;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: LeaseOwner;
  readonly events: LaneEvents;
  readonly inFlightMax: number;
  readonly gasPriceCeiling: bigint;
  gasPrice(): bigint;
  headNumber(): number;
}

/** Creates the lane of a wallet; it takes no work before `keep` has got the lease. */
export function createLane(signer: Signer, deps: LaneDeps): Lane {
  const { chain, store, clock, log, owner, events } = deps;
  const { chainId } = chain.network;
  const facts = { chainId, relayer: signer.address };
  const slots = new Map<number, Slot>();
  let lease: LaneLease | undefined;
  /** One above the highest nonce taken, as far as this process knows. */
  let nextNonce = 0;
  let renewedAt = 0;
  let endpoint = 0;
  let balance: bigint | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  let isStopping = false;
  let hasLeftovers = false;

  /** Runs steps one after the other: a lane has one writer, also within the process. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const run = tail.then(step, step);
    tail = run.catch(() => undefined);
    return run;
  }

  async function submit(plans: readonly TransactionPlan[]): Promise<ReadonlySet<string>> {
    const held = lease;
    if (!held || isStopping) throw new Fault("lease_lost", "The lane is not ours");
    const reserved = await losingLease(() => store.reserveTransactions(held, plans, clock.nowMs()));
    await signAndStore(held, reserved);
    await send(reserved.flatMap(({ nonce }) => slots.get(nonce) ?? []));
    return new Set(reserved.flatMap(({ settlementIds }) => settlementIds));
  }

  async function signAndStore(
    held: LaneLease,
    reserved: readonly RelayerTransaction[],
  ): Promise<void> {
    if (reserved.length === 0) return;
    // Until the bytes are stored, nonces are taken and nothing carries them: `keep` picks up.
    hasLeftovers = true;
    const signed = await Promise.all(
      reserved.map(async (transaction) => ({ transaction, ...(await signer.sign(transaction)) })),
    );
    const rows = signed.map(({ transaction, raw, hash }) => ({ id: transaction.id, raw, hash }));
    const submitted = await losingLease(() => store.recordSigned(held, rows, clock.nowMs()));
    hasLeftovers = false;
    for (const { transaction, raw, hash } of signed) {
      const { nonce, settlementIds } = transaction;
      add({ ...transaction, raw, hash, state: "signed" });
      const fields = { ...facts, transaction: hash, nonce, settlements: settlementIds.length };
      log.info(fields, "Transaction signed and stored");
    }
    events.onSubmitted(submitted);
  }

  function add(transaction: RelayerTransaction): void {
    const slot = slots.get(transaction.nonce);
    nextNonce = Math.max(nextNonce, transaction.nonce + 1);
    if (!slot) slots.set(transaction.nonce, createSlot(transaction, deps.headNumber()));
    else if (!slot.attempts.some(({ id }) => id === transaction.id)) {
      addAttempt(slot, transaction, deps.headNumber());
    }
  }

  /** Sends the newest transactions of slots, lowest nonce first, to the lane's endpoint. */
  async function send(sending: readonly Slot[]): Promise<void> {
    if (sending.length === 0) return;
    const outcomes = await broadcast(chain, endpoint, sending.map(newestOf), log);
    const accepted: Slot[] = [];
    for (const [index, slot] of sending.entries()) {
      slot.outcome = outcomes[index] ?? "unknown";
      slot.sentAtBlock = deps.headNumber();
      slot.refusals = slot.outcome === "accepted" ? 0 : slot.refusals + 1;
      if (slot.outcome === "accepted") accepted.push(slot);
      else report(slot);
    }
    await store.recordSent(
      accepted.map((slot) => newestOf(slot).id),
      clock.nowMs(),
    );
    events.onSent(accepted.flatMap((slot) => newestOf(slot).settlementIds));
  }

  function report({ nonce, outcome, attempts }: Slot): void {
    const fields = { ...facts, nonce, outcome, transaction: attempts.at(-1)?.hash };
    // Somebody else sends from this wallet: two writers lose money to each other.
    const isStranger = outcome === "replacement_underpriced" && attempts.length === 1;
    if (isStranger) log.error(fields, "Another transaction has our nonce in the pool");
    else log.warn(fields, "Transaction not accepted yet");
  }

  async function onHead(head: Parameters<Lane["onHead"]>[0]): Promise<void> {
    if (head.balance !== undefined) balance = head.balance;
    const waiting = inOrder();
    const remedies = waiting.map((slot) => remedyOf(slot, head.number));
    for (const [index, slot] of waiting.entries()) {
      await replace(slot, remedies[index]);
    }
    if (remedies.includes("move") && chain.endpoints.length > 1) {
      endpoint = (endpoint + 1) % chain.endpoints.length;
      log.warn({ ...facts, endpoint }, "Relayer wallet moves to another RPC endpoint");
    }
    // A node that lacks a predecessor refuses the rest: whoever needs it, all are sent, in order.
    if (remedies.some((remedy) => remedy !== "wait")) await send(waiting);
    if (remedies.includes("fan_out")) await fanOut(waiting);
  }

  /** Puts another transaction at a slot's nonce where its remedy asks for one. */
  async function replace(slot: Slot, remedy: Remedy | undefined): Promise<void> {
    const held = lease;
    if (!held || (remedy !== "reprice" && remedy !== "use_up")) return;
    const prices = slot.attempts.map(({ gasPrice }) => gasPrice);
    const gasPrice = replacementPrice(prices, deps.gasPrice(), deps.gasPriceCeiling);
    const fields = { ...facts, nonce: slot.nonce, attempts: prices.length };
    if (gasPrice === undefined) {
      slot.attemptedAtBlock = deps.headNumber();
      log.error(
        fields,
        "Transaction is stuck at the highest gas price; raise it or look at the node",
      );
      return;
    }
    const newest = newestOf(slot);
    const plan: TransactionPlan =
      remedy === "reprice"
        ? { ...newest, gasPrice }
        : { settlementIds: [], to: signer.address, data: "0x", gasLimit: selfCallGas, gasPrice };
    log.warn({ ...fields, remedy }, "Transaction is replaced at its nonce");
    const now = clock.nowMs();
    hasLeftovers = true;
    const transaction = await losingLease(() =>
      store.replaceTransaction(held, slot.nonce, plan, now),
    );
    await signAndStore(held, [transaction]);
  }

  /** The same bytes to every other endpoint; their answers change nothing. */
  async function fanOut(waiting: readonly Slot[]): Promise<void> {
    const others = chain.endpoints.map((_, at) => at).filter((at) => at !== endpoint);
    await Promise.all(others.map((at) => broadcast(chain, at, waiting.map(newestOf), log)));
  }

  function inOrder(): Slot[] {
    return [...slots.values()].toSorted((one, other) => one.nonce - other.nonce);
  }

  function spare(): bigint {
    const owed = inOrder().reduce((sum, slot) => sum + costOf(slot), 0n);
    return (balance ?? 0n) - owed;
  }

  async function keep(): Promise<void> {
    const now = clock.nowMs();
    if (lease && hasLeftovers) await pickUp(lease);
    if (lease && now - renewedAt < leaseRenewMs) return;
    if (lease && (await store.renewLane(lease, owner.id, { leaseMs, now }))) {
      renewedAt = now;
      return;
    }
    if (lease) loseLease();
    await takeOver();
  }

  async function takeOver(): Promise<void> {
    const now = clock.nowMs();
    const holder = await store.findLaneHolder(chainId, signer.address, now);
    const goneOwner = holder?.owner && owner.isGone(holder.owner) ? holder.owner : undefined;
    if (holder?.owner && holder.owner !== owner.id && holder.isRunning && !goneOwner) return;
    const count = await readTransactionCount(chain, signer.address);
    await take(count, goneOwner);
    if (lease) await pickUp(lease);
  }

  async function take(nonceFloor: number, goneOwner: string | undefined): Promise<void> {
    const now = clock.nowMs();
    const lane = { chainId, lane: signer.address, owner: owner.id, goneOwner };
    const taken = await store.takeLane({ ...lane, nonceFloor, leaseMs, now });
    if (!taken) return;
    lease = taken;
    nextNonce = Math.max(nextNonce, taken.nextNonce);
    renewedAt = now;
  }

  /** What an earlier process left: bytes that may be anywhere, nonces without bytes, gaps. */
  async function pickUp(taken: LaneLease): Promise<void> {
    const open = await store.listOpenTransactions(chainId, signer.address);
    for (const transaction of open) if (transaction.raw !== null) add(transaction);
    await signAndStore(
      taken,
      open.filter(({ raw }) => raw === null),
    );
    hasLeftovers = false;
    await fillGaps(taken);
    const fields = { ...facts, fence: taken.fence, open: open.length, nextNonce: taken.nextNonce };
    log.info(fields, "Relayer wallet taken");
    await send(inOrder());
  }

  /** Nonces that nothing of ours will ever use hold up all that come after them. */
  async function fillGaps(taken: LaneLease): Promise<void> {
    const count = await readTransactionCount(chain, signer.address);
    for (let nonce = count; nonce < taken.nextNonce; nonce++) {
      if (slots.has(nonce)) continue;
      log.warn({ ...facts, nonce }, "Gap in the wallet's nonces is filled");
      const gasPrice = deps.gasPrice();
      const plan = {
        settlementIds: [],
        to: signer.address,
        data: "0x",
        gasLimit: selfCallGas,
        gasPrice,
      } as const;
      const filler = await store.replaceTransaction(taken, nonce, plan, clock.nowMs());
      await signAndStore(taken, [filler]);
    }
  }

  async function losingLease<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof Fault && error.code === "lease_lost") loseLease();
      throw error;
    }
  }

  function loseLease(): void {
    log.warn(facts, "Relayer wallet is now worked by another process");
    lease = undefined;
    slots.clear();
  }

  function room(): number {
    if (!lease || isStopping) return 0;
    // Until that nonce is taken by a node or used up: a wallet that is filled again goes on.
    for (const { outcome } of slots.values()) if (isPausing(outcome)) return 0;
    if (balance !== undefined && spare() < plainTransferGas * deps.gasPrice()) return 0;
    return deps.inFlightMax - slots.size;
  }

  async function close(slot: Slot, mined: MinedAttempt | undefined): Promise<void> {
    slots.delete(slot.nonce);
    const minedId = mined?.transaction.id;
    const dropped = slot.attempts.filter(({ id }) => id !== minedId).map(({ id }) => id);
    if (mined) await store.closeTransactions([mined.transaction.id], "mined", mined.blockNumber);
    await store.closeTransactions(dropped, "dropped");
  }

  async function tryToKeep(): Promise<void> {
    try {
      if (!isStopping) await keep();
    } catch (error) {
      log.warn({ ...facts, problem: messageOf(error) }, "Could not keep the relayer wallet");
    }
  }

  async function raiseNonce(count: number): Promise<void> {
    if (lease && nextNonce < count) await take(count, undefined);
  }

  async function release(): Promise<void> {
    if (lease) await store.releaseLane(lease, owner.id);
    lease = undefined;
  }

  return {
    signer,
    isOurs: () => lease !== undefined && !isStopping,
    room,
    canAfford: ({ gasLimit, gasPrice }) => balance === undefined || spare() >= gasLimit * gasPrice,
    slots: inOrder,
    submit: (plans) => inTurn(() => submit(plans)),
    close,
    reopen: (transactions) => {
      for (const transaction of transactions) add(transaction);
    },
    onHead: (head) => inTurn(() => (lease ? onHead(head) : Promise.resolve())),
    raiseNonce: (count) => inTurn(() => raiseNonce(count)),
    keep: () => inTurn(tryToKeep),
    stop: () => {
      isStopping = true;
      return inTurn(release);
    },
  };
}

/** Outcomes of a send beside which a wallet takes no new work. */
function isPausing(outcome: Slot["outcome"]): boolean {
  return (
    outcome === "insufficient_gas_money" ||
    outcome === "price_too_low" ||
    outcome === "wrong_chain_or_type" ||
    outcome === "blacklisted"
  );
}
