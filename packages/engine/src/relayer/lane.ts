/**
 * A lane: one wallet on one network, worked by one process at a time. Everything that uses the
 * wallet goes through here, one step after the other: take nonces, sign, store the bytes, send in
 * nonce order. What is not mined is helped on by the remedies of remedy.ts.
 */
import type { Address } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { Fault, messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import { readCountAt } from "../chain/reads.ts";
import type {
  WalletLease,
  RelayerTransaction,
  TransactionPlan,
} from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import type { WalletHolder, EngineStore, WalletLeaseStore } from "../storage/engine-store.ts";
import { broadcast } from "./broadcast.ts";
import { closeSlot, type MinedAttempt } from "./close-slot.ts";
import { contractTransferGasMax } from "./fees.ts";
import { createLaneEndpoint } from "./lane-endpoint.ts";
import { createLaneHold } from "./lane-hold.ts";
import { isFree, type LeaseOwner } from "./lease.ts";
import { firstUnusedNonce, gapsMax } from "./nonce-gaps.ts";
import { reportRefusedSend } from "./report-send.ts";
import { isReplacing, remedyOf, type Remedy } from "./remedy.ts";
import { planReplacement } from "./replacement.ts";
import { isSelfCall, planSelfCall } from "./self-call.ts";
import type { Signer } from "./sign.ts";
import { addTo, isTooLarge, newestOf, noteSend, type Slot } from "./slot.ts";
import { isHeldUp, isUnheard, owedBy, roomBeside } from "./slot-sums.ts";

/** What a lane tells. */
export interface LaneEvents {
  /** Bytes are stored; from here on only the chain may say "failed". */
  onSubmitted(settlements: readonly Settlement[]): void;
  /** A node has the bytes. */
  onSent(settlementIds: readonly string[]): void;
  /** No node has taken the bytes, and this wallet sends them no more. */
  onGivenBack(settlementIds: readonly string[]): Promise<void>;
  /** The wallet is ours from now on; who had it may have had more in hand than its nonces. */
  onTaken(): void;
  /** A node takes no transaction of so many settlements. */
  onTooLarge(settlements: number): void;
}

/** What a lane is told of a new head. */
export interface LaneView {
  readonly number: number;
  /** Whether other wallets could take work. */
  readonly hasOthers: boolean;
}

/** A working lane. */
export interface Lane {
  readonly signer: Signer;
  /** Whether this process works the wallet. */
  isOurs(): boolean;
  /** Whether it may take work at all: it is not paused, broke, promised or another process's. */
  canWork(): boolean;
  /** Whether the wallet has gas for a payment and its node takes what it sends, whoever works it. */
  isAble(): boolean;
  /** How many more transactions it takes now. */
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
  /** Takes back what is stored as open again: its block was reorganised away. */
  reopen(): Promise<void>;
  /** Helps on what is not mined. */
  onHead(head: LaneView): Promise<void>;
  /** Other software used the wallet: nonces below `count` are gone. */
  raiseNonce(count: number): Promise<void>;
  /**
   * Takes the lease, keeps it, or gives it to whoever wants it, and picks up what is stored. Called
   * now and then, with who holds the wallet by the store.
   */
  keep(holder: WalletHolder | undefined): Promise<void>;
  /** Finishes what is being signed and does nothing more; the lease is given back by others. */
  stop(): Promise<void>;
}

/** What a lane works with. */
export interface LaneDeps {
  readonly chain: Chain;
  readonly store: EngineStore & WalletLeaseStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: LeaseOwner;
  readonly events: LaneEvents;
  /** Transactions on their way at most. */
  readonly inFlightMax: number;
  readonly gasPriceCeiling: bigint;
  gasPrice(): bigint;
  headNumber(): number;
  finalizedNumber(): number;
  /** What a wallet holds at the head, in wei; undefined while that is not known. */
  balanceOf(wallet: Address): bigint | undefined;
}

/** Creates the lane of a wallet; it takes no work before `keep` has got the lease. */
export function createLane(signer: Signer, deps: LaneDeps): Lane {
  const { chain, store, clock, log, owner, events } = deps;
  const { chainId } = chain.network;
  const facts = { chainId, relayer: signer.address };
  const slots = new Map<number, Slot>();
  const endpoint = createLaneEndpoint({ chain, log, facts });
  const hold = createLaneHold({ ...deps, ...facts, onGone: () => slots.clear() });
  /** One above the highest nonce taken, as far as this process knows. */
  let nextNonce = 0;
  let tail: Promise<unknown> = Promise.resolve();
  let isStopping = false;
  /** Whether what is stored of the wallet is known here; no new work before. */
  let isPickedUp = false;
  let hasLeftovers = false;

  /** Runs steps one after the other: a lane has one writer, also within the process. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const run = tail.then(step, step);
    tail = run.catch(() => undefined);
    return run;
  }

  async function submit(plans: readonly TransactionPlan[]): Promise<ReadonlySet<string>> {
    const held = hold.lease();
    if (!held || isStopping) throw new Fault("lease_lost", "The lane is not ours");
    const hasMoved = endpoint.moveOn(false);
    const reserved = await taking(async () =>
      signAndStore(held, await store.reserveTransactions(held, plans, clock.nowMs())),
    );
    await send(hasMoved ? inOrder() : reserved.flatMap(({ nonce }) => slots.get(nonce) ?? []));
    return new Set(reserved.flatMap(({ settlementIds }) => settlementIds));
  }

  /** From a nonce to its stored bytes: where that fails, `keep` picks up what nothing carries. */
  async function taking<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await hold.losing(step);
    } catch (error) {
      hasLeftovers = true;
      throw error;
    }
  }

  async function signAndStore(
    held: WalletLease,
    reserved: readonly RelayerTransaction[],
  ): Promise<readonly RelayerTransaction[]> {
    if (reserved.length === 0) return reserved;
    const signed = await Promise.all(
      reserved.map(async (transaction) => ({ transaction, ...(await signer.sign(transaction)) })),
    );
    const rows = signed.map(({ transaction, raw, hash }) => ({ id: transaction.id, raw, hash }));
    const submitted = await store.recordSigned(held, rows, clock.nowMs());
    for (const { transaction, raw, hash } of signed) {
      const { nonce, settlementIds } = transaction;
      add({ ...transaction, raw, hash, state: "signed" }, false);
      const fields = { ...facts, transaction: hash, nonce, settlementIds };
      log.info(fields, "Transaction signed and stored");
    }
    events.onSubmitted(submitted);
    return reserved;
  }

  function add(transaction: RelayerTransaction, mayBeOut: boolean): void {
    nextNonce = Math.max(nextNonce, transaction.nonce + 1);
    addTo(slots, transaction, { headNumber: deps.headNumber(), mayBeOut });
  }

  /** Sends the newest transactions of slots, lowest nonce first, to the lane's endpoint. */
  async function send(sending: readonly Slot[]): Promise<void> {
    if (sending.length === 0) return;
    const outcomes = await broadcast(chain, endpoint.index(), sending.map(newestOf), log);
    const accepted: Slot[] = [];
    for (const [index, slot] of sending.entries()) {
      noteSend(slot, outcomes[index] ?? "unknown", deps.headNumber());
      if (slot.outcome === "accepted") accepted.push(slot);
      else reportRefusedSend(slot, facts, log);
      if (isTooLarge(slot)) events.onTooLarge(newestOf(slot).settlementIds.length);
    }
    await store.recordSent(
      accepted.map((slot) => newestOf(slot).id),
      clock.nowMs(),
    );
    events.onSent(accepted.flatMap((slot) => newestOf(slot).settlementIds));
  }

  async function onHead({ number, hasOthers }: LaneView): Promise<void> {
    const waiting = inOrder();
    const remedies = waiting.map((slot) => remedyOf(slot, number, hasOthers));
    for (const [index, slot] of waiting.entries()) {
      await replace(slot, remedies[index]);
    }
    const hasMoved = endpoint.moveOn(remedies.includes("move"));
    // What nodes have had for blocks may wait for a nonce whose transaction a reorganisation took.
    const held = hold.lease();
    if (held && remedies.includes("fan_out")) await fillGaps(held);
    // A node that lacks a predecessor refuses the rest: whoever needs it, all are sent, in order.
    if (hasMoved || remedies.some((remedy) => remedy !== "wait")) await send(waiting);
    if (remedies.includes("fan_out")) await fanOut(waiting);
    // After the send, which says whether this wallet itself could take them again.
    await giveBack(waiting.filter((_, index) => remedies[index] === "give_back"));
  }

  /**
   * Gives what no node has taken to other wallets: all at its nonce that is ever sent from now on
   * is a call to itself. Should a node have kept the bytes all the same, the token still takes the
   * authorization once, and its logs say by which transaction.
   */
  async function giveBack(given: readonly Slot[]): Promise<void> {
    for (const slot of given) {
      // Not replaced after all, for its price.
      if (!isSelfCall(newestOf(slot))) continue;
      const carriers = slot.attempts.filter((transaction) => !isSelfCall(transaction));
      await store.closeTransactions(
        carriers.map(({ id }) => id),
        "dropped",
      );
      await events.onGivenBack([...slot.unresolved]);
      slot.unresolved.clear();
    }
  }

  /** Puts another transaction at a slot's nonce where its remedy asks for one. */
  async function replace(slot: Slot, remedy: Remedy | undefined): Promise<void> {
    const held = hold.lease();
    if (!held || remedy === undefined || !isReplacing(remedy)) return;
    if (remedy === "give_back" && isSelfCall(newestOf(slot))) return;
    const prices = { asked: deps.gasPrice(), ceiling: deps.gasPriceCeiling };
    const plan = planReplacement(slot, remedy, signer.address, prices);
    const fields = { ...facts, nonce: slot.nonce, attempts: slot.attempts.length };
    if (!plan) {
      slot.attemptedAtBlock = deps.headNumber();
      log.error(
        fields,
        "Transaction is stuck at the highest gas price; raise it or look at the node",
      );
      return;
    }
    log.warn({ ...fields, remedy }, "Transaction is replaced at its nonce");
    await putAt(held, slot.nonce, plan);
  }

  /** Another transaction at a nonce that is taken. */
  async function putAt(held: WalletLease, nonce: number, plan: TransactionPlan): Promise<void> {
    await taking(async () =>
      signAndStore(held, [await store.replaceTransaction(held, nonce, plan, clock.nowMs())]),
    );
  }

  /** The same bytes to every other endpoint; their answers change nothing. */
  async function fanOut(waiting: readonly Slot[]): Promise<void> {
    for (const slot of waiting) slot.mayBeOut = true;
    const newest = waiting.map(newestOf);
    await Promise.all(endpoint.others().map((at) => broadcast(chain, at, newest, log)));
  }

  function inOrder(): Slot[] {
    return [...slots.values()].toSorted((one, other) => one.nonce - other.nonce);
  }

  /** Whether it holds an amount of wei beside what is on its way; until it is known, it may. */
  function hasSpare(cost: bigint): boolean {
    const balance = deps.balanceOf(signer.address);
    return balance === undefined || balance - owedBy(slots.values()) >= cost;
  }

  async function keep(holder: WalletHolder | undefined): Promise<void> {
    const held = hold.lease();
    if (held && (hasLeftovers || !isPickedUp)) await pickUp(held);
    if (held) await hold.keep(holder?.wantedBy ?? null, slots.size === 0);
    else if (isFree(holder, owner)) await takeOver(holder);
  }

  async function takeOver(holder?: WalletHolder): Promise<void> {
    const count = await readCountAt(chain, signer.address, deps.headNumber());
    const taken = await hold.take(count, holder);
    if (!taken) return;
    nextNonce = Math.max(nextNonce, taken.nextNonce);
    isPickedUp = false;
    events.onTaken();
    await pickUp(taken);
  }

  /** What an earlier process left: bytes that may be anywhere, nonces without bytes, gaps. */
  async function pickUp(taken: WalletLease): Promise<void> {
    const open = await store.listOpenTransactions(chainId, signer.address);
    for (const transaction of open) if (transaction.raw !== null) add(transaction, true);
    const bare = open.filter(({ raw }) => raw === null);
    await taking(() => signAndStore(taken, bare));
    hasLeftovers = false;
    await fillGaps(taken);
    isPickedUp = true;
    const fields = { ...facts, fence: taken.fence, open: open.length, nextNonce: taken.nextNonce };
    log.info(fields, "Relayer wallet taken");
    await send(inOrder());
  }

  /** Nonces that nothing of ours will ever use hold up all that come after them. */
  async function fillGaps(taken: WalletLease): Promise<void> {
    // Those in hand may be closed while we look; what is read then does not know of it yet.
    const inHand = new Set(slots.keys());
    const first = await firstUnusedNonce(deps, signer.address);
    await reopen();
    for (let nonce = first; nonce < Math.min(nextNonce, first + gapsMax); nonce++) {
      if (inHand.has(nonce) || slots.has(nonce)) continue;
      log.warn({ ...facts, nonce }, "Gap in the wallet's nonces is filled");
      await putAt(taken, nonce, planSelfCall(signer.address, deps.gasPrice()));
    }
  }

  function canWork(): boolean {
    return !!hold.lease() && isPickedUp && !hold.isPromised() && !isStopping && isSupplied();
  }

  function isSupplied(): boolean {
    // Whatever comes next may be the most that a single payment takes.
    return !isHeldUp(slots.values()) && hasSpare(contractTransferGasMax * deps.gasPrice());
  }

  async function close(slot: Slot, mined: MinedAttempt | undefined): Promise<void> {
    slots.delete(slot.nonce);
    await closeSlot(store, slot, mined);
  }

  async function tryToKeep(holder: WalletHolder | undefined): Promise<void> {
    try {
      if (!isStopping) await keep(holder);
    } catch (error) {
      log.warn({ ...facts, problem: messageOf(error) }, "Could not keep the relayer wallet");
    }
  }

  async function reopen(): Promise<void> {
    // Another process looks after its own wallets.
    if (!hold.lease() || isStopping) return;
    // Those in hand may be closed while we look.
    const inHand = new Set(slots.keys());
    const open = await store.listOpenTransactions(chainId, signer.address);
    if (!hold.lease()) return;
    for (const transaction of open) {
      // What is being signed here comes by itself.
      if (transaction.raw !== null && !inHand.has(transaction.nonce)) add(transaction, true);
    }
  }

  async function raiseNonce(told: number): Promise<void> {
    // Not in turn where nothing is to be raised: a slow sending must not hold up the block.
    if (nextNonce >= told) return;
    const count = Math.min(told, await readCountAt(chain, signer.address, deps.headNumber()));
    await inTurn(async () => {
      if (!hold.lease() || nextNonce >= count) return;
      const taken = await hold.take(count);
      nextNonce = Math.max(nextNonce, taken?.nextNonce ?? 0);
    });
  }

  function stop(): Promise<void> {
    isStopping = true;
    return inTurn(async () => hold.drop());
  }

  return {
    signer,
    isOurs: () => hold.lease() !== undefined && !isStopping,
    canWork,
    isAble: () => isSupplied() && !isUnheard(slots.values()),
    room: () => (canWork() ? roomBeside(slots.values(), deps.inFlightMax) : 0),
    canAfford: ({ gasLimit, gasPrice }) => hasSpare(gasLimit * gasPrice),
    slots: inOrder,
    submit: (plans) => inTurn(() => submit(plans)),
    close,
    reopen,
    onHead: (head) => inTurn(() => (hold.lease() ? onHead(head) : Promise.resolve())),
    raiseNonce,
    keep: (holder) => inTurn(() => tryToKeep(holder)),
    stop,
  };
}
