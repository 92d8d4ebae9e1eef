/**
 * The transactions of one relayer wallet: signed, stored, sent in nonce order, and recovered when
 * they are not mined. Its nonce manager calls it for one step after the other.
 */
import type { Address, ChainId } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Chain } from "../chain/chain.ts";
import type {
  WalletLease,
  RelayerTransaction,
  TransactionPlan,
} from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import type { EngineStore, WalletLeaseStore } from "../storage/engine-store.ts";
import { broadcast } from "./broadcast.ts";
import { createLaneEndpoint, type LaneEndpoint } from "./wallet-endpoint.ts";
import { createLaneHold, type LaneHold } from "./lease-handle.ts";
import type { LeaseOwner } from "./lease.ts";
import { firstUnusedNonce, gapsMax } from "./nonce-gaps.ts";
import { reportRefusedSend } from "./report-send.ts";
import { isReplacing, remedyOf, type Remedy } from "./recovery-action.ts";
import { planReplacement } from "./replacement.ts";
import { isSelfCall, planSelfCall } from "./self-call.ts";
import type { Signer } from "./sign.ts";
import { addTo, isTooLarge, newestOf, noteSend, type Slot } from "./pending-nonce.ts";

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

/** The transactions of a wallet that this process works or may work. */
export class WalletTransactions {
  /** Nonces on their way. */
  readonly slots = new Map<number, Slot>();
  readonly hold: LaneHold;
  /** One above the highest nonce taken, as far as this process knows. */
  nextNonce = 0;
  /** Whether what is stored of the wallet is known here; no new work before. */
  isPickedUp = false;
  /** Whether a step failed between a nonce and its stored bytes. */
  hasLeftovers = false;
  readonly #signer: Signer;
  readonly #deps: LaneDeps;
  readonly #facts: { readonly chainId: ChainId; readonly relayer: Address };
  readonly #endpoint: LaneEndpoint;

  constructor(signer: Signer, deps: LaneDeps) {
    const { chain, log } = deps;
    this.#signer = signer;
    this.#deps = deps;
    this.#facts = { chainId: chain.network.chainId, relayer: signer.address };
    this.#endpoint = createLaneEndpoint({ chain, log, facts: this.#facts });
    const onGone = () => this.slots.clear();
    this.hold = createLaneHold({ ...deps, ...this.#facts, onGone });
  }

  /** Nonces on their way, lowest first. */
  inOrder(): Slot[] {
    return [...this.slots.values()].toSorted((one, other) => one.nonce - other.nonce);
  }

  async submit(plans: readonly TransactionPlan[]): Promise<ReadonlySet<string>> {
    const held = this.hold.lease();
    if (!held) throw new Fault("lease_lost", "The lane is not ours");
    const hasMoved = this.#endpoint.moveOn(false);
    const reserved = await this.#taking(async () =>
      this.#signAndStore(
        held,
        await this.#deps.store.reserveTransactions(held, plans, this.#deps.clock.nowMs()),
      ),
    );
    await this.#send(
      hasMoved ? this.inOrder() : reserved.flatMap(({ nonce }) => this.slots.get(nonce) ?? []),
    );
    return new Set(reserved.flatMap(({ settlementIds }) => settlementIds));
  }

  /** From a nonce to its stored bytes: where that fails, `keep` picks up what nothing carries. */
  async #taking<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await this.hold.losing(step);
    } catch (error) {
      this.hasLeftovers = true;
      throw error;
    }
  }

  async #signAndStore(
    held: WalletLease,
    reserved: readonly RelayerTransaction[],
  ): Promise<readonly RelayerTransaction[]> {
    if (reserved.length === 0) return reserved;
    const signed = await Promise.all(
      reserved.map(async (transaction) => ({
        transaction,
        ...(await this.#signer.sign(transaction)),
      })),
    );
    const rows = signed.map(({ transaction, raw, hash }) => ({ id: transaction.id, raw, hash }));
    const submitted = await this.#deps.store.recordSigned(held, rows, this.#deps.clock.nowMs());
    for (const { transaction, raw, hash } of signed) {
      const { nonce, settlementIds } = transaction;
      this.#add({ ...transaction, raw, hash, state: "signed" }, false);
      const fields = { ...this.#facts, transaction: hash, nonce, settlementIds };
      this.#deps.log.info(fields, "Transaction signed and stored");
    }
    this.#deps.events.onSubmitted(submitted);
    return reserved;
  }

  #add(transaction: RelayerTransaction, mayBeOut: boolean): void {
    this.nextNonce = Math.max(this.nextNonce, transaction.nonce + 1);
    addTo(this.slots, transaction, { headNumber: this.#deps.headNumber(), mayBeOut });
  }

  /** Sends the newest transactions of slots, lowest nonce first, to the lane's endpoint. */
  async #send(sending: readonly Slot[]): Promise<void> {
    if (sending.length === 0) return;
    const outcomes = await broadcast(
      this.#deps.chain,
      this.#endpoint.index(),
      sending.map(newestOf),
      this.#deps.log,
    );
    const accepted: Slot[] = [];
    for (const [index, slot] of sending.entries()) {
      noteSend(slot, outcomes[index] ?? "unknown", this.#deps.headNumber());
      if (slot.outcome === "accepted") accepted.push(slot);
      else reportRefusedSend(slot, this.#facts, this.#deps.log);
      if (isTooLarge(slot)) this.#deps.events.onTooLarge(newestOf(slot).settlementIds.length);
    }
    await this.#deps.store.recordSent(
      accepted.map((slot) => newestOf(slot).id),
      this.#deps.clock.nowMs(),
    );
    this.#deps.events.onSent(accepted.flatMap((slot) => newestOf(slot).settlementIds));
  }

  async onHead({ number, hasOthers }: LaneView): Promise<void> {
    const waiting = this.inOrder();
    const remedies = waiting.map((slot) => remedyOf(slot, number, hasOthers));
    for (const [index, slot] of waiting.entries()) {
      await this.#replace(slot, remedies[index]);
    }
    const hasMoved = this.#endpoint.moveOn(remedies.includes("move"));
    // What nodes have had for blocks may wait for a nonce whose transaction a reorganisation took.
    const held = this.hold.lease();
    if (held && remedies.includes("fan_out")) await this.#fillGaps(held);
    // A node that lacks a predecessor refuses the rest: whoever needs it, all are sent, in order.
    if (hasMoved || remedies.some((remedy) => remedy !== "wait")) await this.#send(waiting);
    if (remedies.includes("fan_out")) await this.#fanOut(waiting);
    // After the send, which says whether this wallet itself could take them again.
    await releaseCancelled(
      waiting.filter((_, index) => remedies[index] === "give_back"),
      this.#deps,
    );
  }

  /** Puts another transaction at a slot's nonce where its remedy asks for one. */
  async #replace(slot: Slot, remedy: Remedy | undefined): Promise<void> {
    const held = this.hold.lease();
    if (!held || remedy === undefined || !isReplacing(remedy)) return;
    if (remedy === "give_back" && isSelfCall(newestOf(slot))) return;
    const prices = { asked: this.#deps.gasPrice(), ceiling: this.#deps.gasPriceCeiling };
    const plan = planReplacement(slot, remedy, this.#signer.address, prices);
    const fields = { ...this.#facts, nonce: slot.nonce, attempts: slot.attempts.length };
    if (!plan) {
      slot.attemptedAtBlock = this.#deps.headNumber();
      this.#deps.log.error(
        fields,
        "Transaction is stuck at the highest gas price; raise it or look at the node",
      );
      return;
    }
    this.#deps.log.warn({ ...fields, remedy }, "Transaction is replaced at its nonce");
    await this.#putAt(held, slot.nonce, plan);
  }

  /** Another transaction at a nonce that is taken. */
  async #putAt(held: WalletLease, nonce: number, plan: TransactionPlan): Promise<void> {
    await this.#taking(async () =>
      this.#signAndStore(held, [
        await this.#deps.store.replaceTransaction(held, nonce, plan, this.#deps.clock.nowMs()),
      ]),
    );
  }

  /** The same bytes to every other endpoint; their answers change nothing. */
  async #fanOut(waiting: readonly Slot[]): Promise<void> {
    for (const slot of waiting) slot.mayBeOut = true;
    const newest = waiting.map(newestOf);
    await Promise.all(
      this.#endpoint.others().map((at) => broadcast(this.#deps.chain, at, newest, this.#deps.log)),
    );
  }

  /** What an earlier process left: bytes that may be anywhere, nonces without bytes, gaps. */
  async pickUp(taken: WalletLease): Promise<void> {
    const open = await this.#listOpen();
    for (const transaction of open) if (transaction.raw !== null) this.#add(transaction, true);
    const bare = open.filter(({ raw }) => raw === null);
    await this.#taking(() => this.#signAndStore(taken, bare));
    this.hasLeftovers = false;
    await this.#fillGaps(taken);
    this.isPickedUp = true;
    const fields = {
      ...this.#facts,
      fence: taken.fence,
      open: open.length,
      nextNonce: taken.nextNonce,
    };
    this.#deps.log.info(fields, "Relayer wallet taken");
    await this.#send(this.inOrder());
  }

  /** Nonces that nothing of ours will ever use hold up all that come after them. */
  async #fillGaps(taken: WalletLease): Promise<void> {
    // Those in hand may be closed while we look; what is read then does not know of it yet.
    const inHand = new Set(this.slots.keys());
    const first = await firstUnusedNonce(this.#deps, this.#signer.address);
    await this.reopen();
    for (let nonce = first; nonce < Math.min(this.nextNonce, first + gapsMax); nonce++) {
      if (inHand.has(nonce) || this.slots.has(nonce)) continue;
      this.#deps.log.warn({ ...this.#facts, nonce }, "Gap in the wallet's nonces is filled");
      await this.#putAt(taken, nonce, planSelfCall(this.#signer.address, this.#deps.gasPrice()));
    }
  }

  /** Takes back what is stored as open again: its block was reorganised out. */
  async reopen(): Promise<void> {
    // Another process looks after its own wallets.
    if (!this.hold.lease()) return;
    // Those in hand may be closed while we look.
    const inHand = new Set(this.slots.keys());
    const open = await this.#listOpen();
    if (!this.hold.lease()) return;
    for (const transaction of open) {
      // What is being signed here comes by itself.
      if (transaction.raw !== null && !inHand.has(transaction.nonce)) this.#add(transaction, true);
    }
  }

  #listOpen(): Promise<RelayerTransaction[]> {
    const { chainId, relayer } = this.#facts;
    return this.#deps.store.listOpenTransactions(chainId, relayer);
  }
}

/**
 * Releases what no node has taken to other wallets: all at its nonce that is ever sent from now on is
 * a call to itself. Should a node have kept the bytes all the same, the token still takes the
 * authorization once, and its logs say by which transaction.
 */
async function releaseCancelled(
  slots: readonly Slot[],
  { store, events }: Pick<LaneDeps, "store" | "events">,
): Promise<void> {
  for (const slot of slots) {
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
