/**
 * The nonces of one relayer wallet on one network, which one process uses at a time. All steps run one
 * after the other: reserve nonces, sign, store the bytes, send in nonce order, recover what is not mined.
 */
import type { Hex } from "@farthing/protocol";
import { assert } from "../base/assert.ts";
import { Fault } from "../base/fault.ts";
import { warning } from "../base/log.ts";
import { readCountAt } from "../chain/reads/reads.ts";
import { isGivenAgain } from "../model/lost-commits.ts";
import type { TransactionPlan, WalletLease } from "../model/relayer-transaction.ts";
import type { WalletHolder } from "../storage/engine-store.ts";
import { contractTransferGasMax } from "./fees.ts";
import { isLeaseLost } from "./lease-handle.ts";
import { isFree } from "./lease.ts";
import {
  closeNonce,
  isPausing,
  isSendingUnclear,
  maxCostOf,
  roomFor,
  type MinedAttempt,
  type PendingNonce,
} from "./pending-nonce.ts";
import type { Signer } from "./signer.ts";
import { isSignerFault } from "./wallet-signing.ts";
import { WalletTransactions, type WalletDeps, type HeadView } from "./wallet-transactions.ts";

/** A call on its way. */
export interface SubmittedCall {
  readonly closed: Promise<MinedAttempt | undefined>;
  forget(): void;
  /** Of its newest attempt; null once the nonce is closed. */
  hash(): Hex | null;
}

/** It takes no work before `keep` has acquired the lease. */
export class NonceManager {
  readonly signer: Signer;
  readonly #deps: WalletDeps;
  readonly #transactions: WalletTransactions;
  #tail: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  /** By nonce: who waits until a call that carries no settlement is in a block. */
  readonly #closings = new Map<number, (mined: MinedAttempt | undefined) => void>();

  constructor(signer: Signer, deps: WalletDeps) {
    this.signer = signer;
    this.#deps = deps;
    this.#transactions = new WalletTransactions(signer, deps);
  }

  get #lease() {
    return this.#transactions.lease;
  }

  isOurs(): boolean {
    return this.#lease.current() !== undefined && !this.#isStopping;
  }

  /** Whether it may take work: it is not paused, without gas or signer, or being handed over. */
  canWork(): boolean {
    return (
      this.isOurs() &&
      this.#transactions.isLoaded &&
      !this.#lease.isHandingOver() &&
      this.#isSupplied()
    );
  }

  /** Whether the wallet has gas and a signer, and its node accepts its sends, in any process. */
  isAble(): boolean {
    return this.#isSupplied() && !isSendingUnclear(this.#transactions.pendingNonces.values());
  }

  room(): number {
    if (!this.canWork()) return 0;
    const room = roomFor(this.#transactions.pendingNonces.values(), this.#deps.inFlightMax);
    // At a distant node payments gather into a batch, instead of waiting in turn for each send.
    if (!this.#transactions.endpoint.isDistant()) return room;
    return this.#transactions.isSending ? 0 : Math.min(1, room);
  }

  /** Whether it can pay for a transaction beside the pending ones. */
  canAfford({ gasLimit, gasPrice }: TransactionPlan): boolean {
    return this.#hasSpare(gasLimit * gasPrice);
  }

  pendingCount(): number {
    return this.#transactions.pendingNonces.size;
  }

  /** Lowest nonce first. */
  pendingNonces(): readonly PendingNonce[] {
    return this.#transactions.inOrder();
  }

  /**
   * Reserves nonces, signs, stores and sends; returns the settlements it carries now. Another process
   * has taken the others. Throws when no plan got a nonce.
   */
  submit(plans: readonly TransactionPlan[]): Promise<ReadonlySet<string>> {
    return this.#inTurn(async () => {
      if (this.#isStopping) throw new Fault("lease_lost", "The wallet is released");
      const reserved = await this.#transactions.submit(plans);
      return new Set(reserved.flatMap(({ settlementIds }) => settlementIds));
    });
  }

  /**
   * Sends a call that carries no settlement. `closed` resolves when its nonce is used by an attempt of
   * it, or by another sender (undefined); `forget` ends the wait. Returns undefined where the call failed
   * and a block may contain it even so; throws where none can.
   */
  submitCall(plan: TransactionPlan): Promise<SubmittedCall | undefined> {
    return this.#inTurn(async () => {
      if (this.#isStopping) throw new Fault("lease_lost", "The wallet is released");
      const nonce = await this.#nonceOfCall(plan);
      if (nonce === undefined) return undefined;
      const closed = new Promise<MinedAttempt | undefined>((resolve) => {
        this.#closings.set(nonce, resolve);
      });
      return {
        closed,
        forget: () => void this.#closings.delete(nonce),
        hash: () => this.#transactions.pendingNonces.get(nonce)?.attempts.at(-1)?.hash ?? null,
      };
    });
  }

  /** Stored bytes are sent again, and a nonce that was taken without bytes is signed again. */
  async #nonceOfCall(plan: TransactionPlan): Promise<number | undefined> {
    const before = this.#transactions.nextNonce;
    try {
      const [reserved] = await this.#transactions.submit([plan]);
      assert(reserved, "a plan without settlements always gets a nonce");
      return reserved.nonce;
    } catch (error) {
      const { nextNonce, pendingNonces } = this.#transactions;
      // What was not signed has given its nonce back, and without the lease none was given.
      const isCertain = isSignerFault(error) || (isLeaseLost(error) && nextNonce === before);
      if (isCertain) throw error;
      const { log, chain } = this.#deps;
      const { chainId } = chain.network;
      const fields = { event: "contract_call_unclear", chainId, relayer: this.signer.address };
      warning(log, fields, "Contract call failed; a block may contain it even so")(error);
      const taken = nextNonce > before ? nextNonce - 1 : undefined;
      return taken !== undefined && pendingNonces.has(taken) ? taken : undefined;
    }
  }

  async close(pending: PendingNonce, mined: MinedAttempt | undefined): Promise<void> {
    this.#transactions.pendingNonces.delete(pending.nonce);
    await closeNonce(this.#deps.store, pending, mined);
    this.#closings.get(pending.nonce)?.(mined);
  }

  /** Loads nonces stored as open again because their block was reorganised out. */
  async reopen(): Promise<void> {
    if (!this.#isStopping) await this.#transactions.reopen();
  }

  onHead(head: HeadView): Promise<void> {
    return this.#inTurn(() =>
      this.#lease.current() ? this.#transactions.onHead(head) : Promise.resolve(),
    );
  }

  /** Skips nonces that the chain counts as used, also by an external sender. */
  async raiseNonce(reported: number): Promise<void> {
    // Usually nothing is raised, and a slow send must not hold up the block.
    if (this.#transactions.nextNonce >= reported) return;
    const count = Math.min(reported, await this.#readCount());
    await this.#inTurn(async () => {
      if (!this.#lease.current() || this.#transactions.nextNonce >= count) return;
      if (!(await this.#deps.lost.mayRaise(this.signer.address, count))) return;
      const taken = await this.#lease.take(count);
      this.#transactions.nextNonce = Math.max(this.#transactions.nextNonce, taken?.nextNonce ?? 0);
    });
  }

  /** The next nonce by what this process knows. */
  nextNonce(): number {
    return this.#transactions.nextNonce;
  }

  /**
   * Whether a block may still contain a transaction of the wallet that the store has lost. `holder` is
   * what the store has now, and `knownNonce` as for {@link keep}. Throws RPC faults.
   */
  async mayMineLost(holder: WalletHolder | undefined, knownNonce: number): Promise<boolean> {
    const { lostNonces } = this.#transactions;
    if (isGivenAgain(holder?.nextNonce ?? 0, knownNonce)) lostNonces.noteKnown(knownNonce);
    return lostNonces.mayBeMined();
  }

  /**
   * Takes or renews the lease, or hands the wallet over; then loads stored transactions. `knownNonce`
   * is what {@link nextNonce} was before the holder was read.
   */
  keep(holder: WalletHolder | undefined, knownNonce = 0): Promise<void> {
    const { chain, log } = this.#deps;
    const { chainId } = chain.network;
    const fields = { event: "wallet_lease_failed", chainId, relayer: this.signer.address };
    return this.#inTurn(async () => {
      if (!this.#isStopping) await this.#keep(holder, knownNonce);
    }).catch(warning(log, fields, "Wallet lease failed; retrying in a second"));
  }

  /** Finishes the current step; the rebalancer releases the lease. */
  stop(): Promise<void> {
    this.#isStopping = true;
    return this.#inTurn(async () => this.#lease.drop());
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const run = this.#tail.then(step, step);
    this.#tail = run.catch(() => undefined);
    return run;
  }

  /** Whether it has an amount of wei beside pending costs; true until the balance is known. */
  #hasSpare(cost: bigint): boolean {
    const balance = this.#deps.balanceOf(this.signer.address);
    return (
      balance === undefined ||
      balance - maxCostOf(this.#transactions.pendingNonces.values()) >= cost
    );
  }

  async #keep(holder: WalletHolder | undefined, knownNonce: number): Promise<void> {
    const held = this.#lease.current();
    const isOwn = held !== undefined && holder?.owner === this.#deps.owner.id;
    const { lostNonces } = this.#transactions;
    // Until what used them is found, the database keeps giving them again.
    if (isOwn && isGivenAgain(holder.nextNonce, knownNonce) && !lostNonces.isKnown())
      await this.#transactions.forget(held, [], holder.nextNonce);
    const { hasLeftovers, isLoaded, signing } = this.#transactions;
    if (held && (hasLeftovers || !isLoaded) && signing.isDue()) await this.#load(held);
    if (held)
      await this.#lease.keep(holder?.wantedBy ?? null, this.#transactions.pendingNonces.size === 0);
    else if (isFree(holder, this.#deps.owner)) await this.#takeOver(holder);
  }

  async #takeOver(holder?: WalletHolder): Promise<void> {
    const count = await this.#readCount();
    if (!(await this.#deps.lost.mayRaise(this.signer.address, count))) return;
    const taken = await this.#lease.take(count, holder);
    if (!taken) return;
    this.#transactions.nextNonce = Math.max(this.#transactions.nextNonce, taken.nextNonce);
    this.#transactions.isLoaded = false;
    this.#deps.events.onWalletAcquired();
    await this.#load(taken);
  }

  /** A signer that fails pauses the wallet and is reported there; the lease is kept. */
  async #load(held: WalletLease): Promise<void> {
    try {
      await this.#transactions.load(held);
    } catch (error) {
      if (!isSignerFault(error)) throw error;
    }
  }

  #isSupplied(): boolean {
    // The next payment may need the highest gas limit of a single one.
    return (
      !this.#transactions.signing.isDown() &&
      ![...this.#transactions.pendingNonces.values()].some(isPausing) &&
      this.#hasSpare(contractTransferGasMax * this.#deps.gasPrices.now())
    );
  }

  #readCount(): Promise<number> {
    return readCountAt(this.#deps.chain, this.signer.address, this.#deps.headNumber());
  }
}
