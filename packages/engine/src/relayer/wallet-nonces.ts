/**
 * The nonces of one relayer wallet on one network, used by one process at a time. Everything that
 * uses the wallet goes through here, one step after the other: take nonces, sign, store the bytes,
 * send in nonce order. What is not mined gets a recovery action of recovery-action.ts.
 */
import { Fault, messageOf } from "../base/fault.ts";
import { readCountAt } from "../chain/reads.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import type { WalletHolder } from "../storage/engine-store.ts";
import { closeSlot, type MinedAttempt } from "./close-slot.ts";
import { contractTransferGasMax } from "./fees.ts";
import { isFree } from "./lease.ts";
import type { Signer } from "./sign.ts";
import type { Slot } from "./pending-nonce.ts";
import { isHeldUp, isUnheard, owedBy, roomBeside } from "./slot-sums.ts";
import { WalletTransactions, type LaneDeps, type LaneView } from "./wallet-transactions.ts";

/** One wallet's nonces; it takes no work before `keep` has acquired the lease. */
export class NonceManager {
  readonly signer: Signer;
  readonly #deps: LaneDeps;
  readonly #transactions: WalletTransactions;
  #tail: Promise<unknown> = Promise.resolve();
  #isStopping = false;

  constructor(signer: Signer, deps: LaneDeps) {
    this.signer = signer;
    this.#deps = deps;
    this.#transactions = new WalletTransactions(signer, deps);
  }

  get #hold() {
    return this.#transactions.hold;
  }

  /** Whether this process works the wallet. */
  isOurs(): boolean {
    return this.#hold.lease() !== undefined && !this.#isStopping;
  }

  /** Whether it may take work at all: it is not paused, without gas, or handed over. */
  canWork(): boolean {
    return (
      this.isOurs() &&
      this.#transactions.isPickedUp &&
      !this.#hold.isPromised() &&
      this.#isSupplied()
    );
  }

  /** Whether the wallet has gas for a payment and its node takes what it sends, whoever works it. */
  isAble(): boolean {
    return this.#isSupplied() && !isUnheard(this.#transactions.slots.values());
  }

  /** How many more transactions it takes now. */
  room(): number {
    return this.canWork()
      ? roomBeside(this.#transactions.slots.values(), this.#deps.inFlightMax)
      : 0;
  }

  /** Whether it can pay for a transaction beside those on their way. */
  canAfford({ gasLimit, gasPrice }: TransactionPlan): boolean {
    return this.#hasSpare(gasLimit * gasPrice);
  }

  /** Nonces on their way, lowest first. */
  slots(): readonly Slot[] {
    return this.#transactions.inOrder();
  }

  /**
   * Takes nonces, signs, stores, sends; returns the settlements it carries now. Others of a plan were
   * taken by another process. Throws when nothing was taken for any plan.
   */
  submit(plans: readonly TransactionPlan[]): Promise<ReadonlySet<string>> {
    return this.#inTurn(async () => {
      if (this.#isStopping) throw new Fault("lease_lost", "The wallet is released");
      return this.#transactions.submit(plans);
    });
  }

  /** Ends a nonce that is used up, by a transaction of ours or by another one. */
  async close(slot: Slot, mined: MinedAttempt | undefined): Promise<void> {
    this.#transactions.slots.delete(slot.nonce);
    await closeSlot(this.#deps.store, slot, mined);
  }

  /** Takes back what is stored as open again: its block was reorganised out. */
  async reopen(): Promise<void> {
    if (!this.#isStopping) await this.#transactions.reopen();
  }

  /** Applies recovery actions to what is not mined. */
  onHead(head: LaneView): Promise<void> {
    return this.#inTurn(() =>
      this.#hold.lease() ? this.#transactions.onHead(head) : Promise.resolve(),
    );
  }

  /** Other software used the wallet: nonces below `told` are gone. */
  async raiseNonce(told: number): Promise<void> {
    // Not in turn where nothing is to be raised: a slow sending must not hold up the block.
    if (this.#transactions.nextNonce >= told) return;
    const count = Math.min(told, await this.#readCount());
    await this.#inTurn(async () => {
      if (!this.#hold.lease() || this.#transactions.nextNonce >= count) return;
      const taken = await this.#hold.take(count);
      this.#transactions.nextNonce = Math.max(this.#transactions.nextNonce, taken?.nextNonce ?? 0);
    });
  }

  /**
   * Takes the lease, renews it, or hands the wallet over to the process that has asked for it, and
   * picks up what is stored. `holder`: who holds the wallet by the store.
   */
  keep(holder: WalletHolder | undefined): Promise<void> {
    return this.#inTurn(async () => {
      try {
        if (!this.#isStopping) await this.#keep(holder);
      } catch (error) {
        const { chainId } = this.#deps.chain.network;
        const fields = { chainId, relayer: this.signer.address, problem: messageOf(error) };
        this.#deps.log.warn(fields, "Could not keep the relayer wallet");
      }
    });
  }

  /** Finishes what is being signed and does nothing more; the relayer releases the lease. */
  stop(): Promise<void> {
    this.#isStopping = true;
    return this.#inTurn(async () => this.#hold.drop());
  }

  /** Runs steps one after the other: a lane has one writer, also within the process. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const run = this.#tail.then(step, step);
    this.#tail = run.catch(() => undefined);
    return run;
  }

  /** Whether it holds an amount of wei beside what is on its way; until it is known, it may. */
  #hasSpare(cost: bigint): boolean {
    const balance = this.#deps.balanceOf(this.signer.address);
    return balance === undefined || balance - owedBy(this.#transactions.slots.values()) >= cost;
  }

  async #keep(holder: WalletHolder | undefined): Promise<void> {
    const held = this.#hold.lease();
    if (held && (this.#transactions.hasLeftovers || !this.#transactions.isPickedUp))
      await this.#transactions.pickUp(held);
    if (held) await this.#hold.keep(holder?.wantedBy ?? null, this.#transactions.slots.size === 0);
    else if (isFree(holder, this.#deps.owner)) await this.#takeOver(holder);
  }

  async #takeOver(holder?: WalletHolder): Promise<void> {
    const count = await this.#readCount();
    const taken = await this.#hold.take(count, holder);
    if (!taken) return;
    this.#transactions.nextNonce = Math.max(this.#transactions.nextNonce, taken.nextNonce);
    this.#transactions.isPickedUp = false;
    this.#deps.events.onTaken();
    await this.#transactions.pickUp(taken);
  }

  #isSupplied(): boolean {
    // Whatever comes next may be the most that a single payment takes.
    return (
      !isHeldUp(this.#transactions.slots.values()) &&
      this.#hasSpare(contractTransferGasMax * this.#deps.gasPrice())
    );
  }

  #readCount(): Promise<number> {
    return readCountAt(this.#deps.chain, this.signer.address, this.#deps.headNumber());
  }
}
