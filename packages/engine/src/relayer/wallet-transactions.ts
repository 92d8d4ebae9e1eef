/**
 * The transactions of one relayer wallet: signed, stored, sent in nonce order, and recovered when they
 * are not mined. Its nonce manager runs one step after the other.
 */
import type { Address, ChainId } from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import type { Runtime } from "../base/log.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { isGivenAgain } from "../model/lost-commits.ts";
import type {
  WalletLease,
  RelayerTransaction,
  TransactionPlan,
} from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import type { EngineStore, WalletLeaseStore } from "../storage/engine-store.ts";
import { broadcast } from "./broadcast.ts";
import { createWalletEndpoint, type WalletEndpoint } from "./wallet-endpoint.ts";
import { createLeaseHandle, type LeaseHandle } from "./lease-handle.ts";
import type { GasPrices } from "./gas-prices.ts";
import type { LeaseOwner } from "./lease.ts";
import type { LossSearch } from "./loss-search.ts";
import { createLostNonces, type LostNonces } from "./lost-nonces.ts";
import { reportRefusedSend } from "./refused-send.ts";
import { firstUnusedNonce, gapsMax } from "./nonce-gaps.ts";
import { isReplacing, recoveryActionOf, type RecoveryAction } from "./recovery-action.ts";
import {
  addTo,
  isTooLarge,
  newestOf,
  noteSend,
  type PendingNonce,
  refusedBatchOf,
  type RefusedBatch,
} from "./pending-nonce.ts";
import { isCancellation, planCancellation, planReplacement } from "./replacement.ts";
import type { SettlementTraces } from "./settlement-traces.ts";
import { recordSigned, watchBytes } from "./signed-bytes.ts";
import type { Signer } from "./signer.ts";
import { createWalletSigning, isSignerFault, type WalletSigning } from "./wallet-signing.ts";

export interface WalletEvents {
  /** The bytes are stored; from now on only the chain decides about failure. */
  onSubmitted(settlements: readonly Settlement[]): void;
  onSent(settlementIds: readonly string[]): void;
  /** No node accepted the bytes, and this wallet no longer sends them. */
  onReleased(settlementIds: readonly string[]): Promise<void>;
  /** The wallet's previous process may have left more work than its pending nonces. */
  onWalletAcquired(): void;
  /** A node refused a transaction as too large or too dear. */
  onTooLarge(refused: RefusedBatch): void;
}

export interface HeadView {
  readonly number: number;
  /** Whether other wallets could take its work. */
  readonly hasOthers: boolean;
}

export interface WalletDeps extends Runtime {
  readonly chain: Chain;
  readonly store: EngineStore & WalletLeaseStore;
  readonly owner: LeaseOwner;
  readonly events: WalletEvents;
  readonly traces: SettlementTraces;
  readonly inFlightMax: number;
  readonly gasPrices: Pick<
    GasPrices,
    "now" | "needed" | "ceiling" | "problem" | "noteSigned" | "look"
  >;
  /** What the store has lost is found before a wallet's nonces are raised. */
  readonly lost: LossSearch;
  headNumber(): number;
  finalizedNumber(): number;
  /** A wallet's wei at the head; undefined while it is not known. */
  balanceOf(wallet: Address): bigint | undefined;
}

export class WalletTransactions {
  readonly pendingNonces = new Map<number, PendingNonce>();
  readonly lease: LeaseHandle;
  readonly lostNonces: LostNonces;
  readonly signing: WalletSigning;
  /** One above the highest nonce taken, as far as this process knows. */
  nextNonce = 0;
  /** Whether stored transactions are loaded; no new work before. */
  isLoaded = false;
  /** Whether a nonce may be reserved without stored bytes. */
  hasLeftovers = false;
  isSending = false;
  readonly #stayBare = watchBytes();
  readonly #signer: Signer;
  readonly #deps: WalletDeps;
  readonly #facts: { readonly chainId: ChainId; readonly relayer: Address };
  readonly endpoint: WalletEndpoint;

  constructor(signer: Signer, deps: WalletDeps) {
    const { chain, log } = deps;
    this.#signer = signer;
    this.#deps = deps;
    this.#facts = { chainId: chain.network.chainId, relayer: signer.address };
    this.signing = createWalletSigning(signer, { ...deps, chainId: this.#facts.chainId });
    this.endpoint = createWalletEndpoint({ chain, log, facts: this.#facts });
    const onLeaseEnded = () => this.pendingNonces.clear();
    this.lease = createLeaseHandle({ ...deps, ...this.#facts, onLeaseEnded });
    this.lostNonces = createLostNonces({ ...deps, ...this.#facts, lease: this.lease });
  }

  inOrder(): PendingNonce[] {
    return [...this.pendingNonces.values()].toSorted((one, other) => one.nonce - other.nonce);
  }

  async submit(plans: readonly TransactionPlan[]): Promise<readonly RelayerTransaction[]> {
    const held = this.lease.current();
    if (!held) throw new Fault("lease_lost", "This process does not hold the wallet");
    const hasMoved = this.endpoint.moveOn(false);
    const { store, traces } = this.#deps;
    const now = this.#deps.clock.nowMs();
    const reserved = await this.#taking(() => store.reserveTransactions(held, plans, now));
    if (reserved.some(({ nonce }) => isGivenAgain(nonce, this.nextNonce))) {
      await this.forget(held, reserved, reserved[0]?.nonce ?? 0);
      throw new Fault("storage_unavailable", "The database has lost its last transactions");
    }
    await traces.inTransactions(reserved, async () => {
      await this.#taking(() => this.#signAndStore(held, reserved));
      const signed = reserved.flatMap(({ nonce }) => this.pendingNonces.get(nonce) ?? []);
      await this.#send(hasMoved ? this.inOrder() : signed);
    });
    return reserved;
  }

  /**
   * The database has lost its last commits, as after a failover, and gives the nonce `again`. Forgets what
   * this process remembers; `keep` loads what is stored, and the queue offers the settlements again.
   */
  async forget(held: WalletLease, reserved: readonly RelayerTransaction[], again: number) {
    this.lostNonces.note(again, this.nextNonce);
    const ids = reserved.map(({ id }) => id);
    await this.#taking(() => this.#deps.store.releaseUnsigned(held, ids, this.#deps.clock.nowMs()));
    this.pendingNonces.clear();
    this.isLoaded = false;
  }

  /** After a failure `keep` loads nonces that were reserved without stored bytes. */
  async #taking<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await this.lease.losing(step);
    } catch (error) {
      this.hasLeftovers = true;
      throw error;
    }
  }

  /** `replaced`: the nonce in hand whose newest attempt is to be this one. */
  async #signAndStore(
    held: WalletLease,
    reserved: readonly RelayerTransaction[],
    replaced?: PendingNonce,
  ) {
    if (reserved.length === 0) return;
    // Also where the signature fails: the nonce is taken, and becomes a gap to fill.
    for (const { nonce } of reserved) this.nextNonce = Math.max(this.nextNonce, nonce + 1);
    const signed = await this.#signOrRelease(held, reserved);
    this.#deps.gasPrices.noteSigned(reserved);
    const rows = signed.map(({ transaction, raw, hash }) => ({ id: transaction.id, raw, hash }));
    const submitted = await recordSigned(this.#deps, this.#facts, held, rows);
    for (const { transaction, raw, hash } of signed) {
      const { nonce, settlementIds } = transaction;
      const stored = { ...transaction, raw, hash, state: "signed" } as const;
      if (replaced && this.pendingNonces.get(nonce) !== replaced) {
        // A block has closed the nonce meanwhile, and no node has seen these bytes.
        await this.#deps.store.dropClosed(held);
        continue;
      }
      this.#add(stored, false);
      this.#deps.traces.note(transaction.id, { "x402.transaction": hash });
      const fields = { ...this.#facts, transaction: hash, nonce, settlementIds };
      const event = "transaction_signed";
      this.#deps.log.info({ event, ...fields }, "Transaction signed and stored");
    }
    this.#deps.events.onSubmitted(submitted);
  }

  /** Releases the settlements of what was not signed; another transaction will use its nonce. */
  async #signOrRelease(held: WalletLease, reserved: readonly RelayerTransaction[]) {
    try {
      return await this.signing.sign(reserved);
    } catch (error) {
      const ids = reserved.map(({ id }) => id);
      await this.#deps.store.releaseUnsigned(held, ids, this.#deps.clock.nowMs());
      throw error;
    }
  }

  #add(transaction: RelayerTransaction, mayBeOut: boolean): void {
    this.nextNonce = Math.max(this.nextNonce, transaction.nonce + 1);
    addTo(this.pendingNonces, transaction, { headNumber: this.#deps.headNumber(), mayBeOut });
  }

  /** Sends the newest attempts, lowest nonce first, to the wallet's endpoint. */
  async #send(sending: readonly PendingNonce[]): Promise<void> {
    if (sending.length === 0) return;
    this.isSending = true;
    const newest = sending.map(newestOf);
    const { chain, log } = this.#deps;
    const outcomes = await broadcast(chain, this.endpoint.index(), newest, log);
    this.isSending = false;
    const accepted: PendingNonce[] = [];
    for (const [index, pending] of sending.entries()) {
      noteSend(pending, outcomes[index] ?? "unknown", this.#deps.headNumber());
      this.#deps.traces.note(newestOf(pending).id, { "x402.send": outcomes[index] ?? "unknown" });
      if (pending.outcome === "accepted") accepted.push(pending);
      else reportRefusedSend(pending, this.#facts, this.#deps.log);
      if (isTooLarge(pending)) this.#deps.events.onTooLarge(refusedBatchOf(pending));
    }
    await this.#deps.store.recordSent(accepted.map(newestOf), this.#deps.clock.nowMs());
    this.#deps.events.onSent(accepted.flatMap((pending) => newestOf(pending).settlementIds));
  }

  async onHead({ number, hasOthers }: HeadView): Promise<void> {
    const waiting = this.inOrder();
    const { gasPrices } = this.#deps;
    const price = { needed: gasPrices.needed(), isPaid: gasPrices.problem() === undefined };
    const actions = waiting.map((pending) => recoveryActionOf(pending, number, hasOthers, price));
    for (const [index, pending] of waiting.entries()) {
      await this.#ifSigning(() => this.#replace(pending, actions[index]));
    }
    const hasMoved = this.endpoint.moveOn(actions.includes("move"));
    // Accepted transactions may wait for a nonce whose transaction was reorganised out.
    const held = this.lease.current();
    if (held && actions.includes("fan_out")) await this.#ifSigning(() => this.#fillGaps(held));
    // A node refuses transactions after a missing one, so all are sent in order.
    if (hasMoved || actions.some((action) => action !== "wait")) await this.#send(waiting);
    if (actions.includes("fan_out")) await fanOut(this.endpoint, this.#deps, waiting);
    // The send shows whether this wallet itself could take them again.
    await releaseCancelled(
      waiting.filter((_, index) => actions[index] === "release"),
      this.#deps,
    );
  }

  async #replace(pending: PendingNonce, action: RecoveryAction | undefined): Promise<void> {
    const held = this.lease.current();
    if (!held || action === undefined || !isReplacing(action)) return;
    // A block may have closed the nonce while another one was replaced.
    if (this.pendingNonces.get(pending.nonce) !== pending) return;
    if (action === "release" && isCancellation(newestOf(pending))) return;
    const plan = planReplacement(pending, action, this.#signer.address, pricesOf(this.#deps));
    const fields = { ...this.#facts, nonce: pending.nonce, attempts: pending.attempts.length };
    if (!plan) {
      pending.attemptedAtBlock = this.#deps.headNumber();
      logStuck(fields, this.#deps);
      return;
    }
    const replaced = { event: "transaction_replaced", ...fields, action };
    this.#deps.log.warn(replaced, "Transaction replaced");
    await this.#putAt(held, plan, pending);
  }

  async #putAt(held: WalletLease, plan: TransactionPlan, place: PendingNonce | { nonce: number }) {
    const { store, clock, traces } = this.#deps;
    await this.#taking(async () => {
      const attempt = await store.replaceTransaction(held, place.nonce, plan, clock.nowMs());
      if (!attempt) return;
      const former = "attempts" in place ? place : undefined;
      await traces.inTransactions([attempt], () => this.#signAndStore(held, [attempt], former));
    });
  }

  /** Without a signer, transactions are still sent again; `load` signs what is missing later. */
  async #ifSigning(step: () => Promise<void>): Promise<void> {
    if (this.signing.isDown()) return;
    try {
      await step();
    } catch (error) {
      if (!isSignerFault(error)) throw error;
    }
  }

  /** Takes over stored transactions, nonces without bytes, and gaps of an earlier process. */
  async load(taken: WalletLease): Promise<void> {
    if (!(await this.lostNonces.keepAway(this.nextNonce))) return;
    const held = this.lease.current() ?? taken;
    await this.#deps.store.dropClosed(held);
    const open = await this.#listOpen();
    for (const transaction of open) if (transaction.raw !== null) this.#add(transaction, true);
    const bare = open.filter(({ raw }) => raw === null);
    await this.#taking(() => this.#signAndStore(held, bare));
    this.hasLeftovers = false;
    await this.#taking(() => this.#fillGaps(held));
    this.signing.resume();
    this.isLoaded = true;
    const { fence, nextNonce } = held;
    const fields = { ...this.#facts, fence, open: open.length, nextNonce };
    this.#deps.log.info({ event: "wallet_acquired", ...fields }, "Relayer wallet acquired");
    await this.#send(this.inOrder());
  }

  /** Cancels nonces that no transaction will use: they hold up all later ones. */
  async #fillGaps(taken: WalletLease): Promise<void> {
    // A nonce may be closed meanwhile, which the count read before does not show.
    const inHand = new Set(this.pendingNonces.keys());
    const first = await firstUnusedNonce(this.#deps, this.#signer.address);
    this.lostNonces.end(first);
    await this.reopen();
    for (let nonce = first; nonce < Math.min(this.nextNonce, first + gapsMax); nonce++) {
      if (inHand.has(nonce) || this.pendingNonces.has(nonce)) continue;
      this.#deps.log.warn({ event: "nonce_gap_filled", ...this.#facts, nonce }, "Nonce gap filled");
      const plan = planCancellation(this.#signer.address, this.#deps.gasPrices.now());
      await this.#putAt(taken, plan, { nonce });
    }
  }

  /** Loads nonces stored as open: their block was reorganised out, or their end was not stored. */
  async reopen(): Promise<void> {
    if (!this.lease.current()) return;
    // A nonce may be closed meanwhile.
    const inHand = new Set(this.pendingNonces.keys());
    const open = await this.#listOpen();
    if (!this.lease.current()) return;
    this.hasLeftovers ||= this.#stayBare(open);
    for (const one of open) if (one.raw !== null && !inHand.has(one.nonce)) this.#add(one, true);
  }

  #listOpen(): Promise<RelayerTransaction[]> {
    return this.#deps.store.listOpenTransactions(this.#facts.chainId, this.#facts.relayer);
  }
}

function pricesOf({ gasPrices }: Pick<WalletDeps, "gasPrices">) {
  return { needed: gasPrices.needed(), asked: gasPrices.now(), ceiling: gasPrices.ceiling() };
}

/** Sends the same bytes to every other endpoint; their replies are ignored. */
async function fanOut(
  endpoint: WalletEndpoint,
  { chain, log }: Pick<WalletDeps, "chain" | "log">,
  waiting: readonly PendingNonce[],
): Promise<void> {
  for (const pending of waiting) pending.mayBeOut = true;
  const sending = waiting.map(newestOf);
  await Promise.all(endpoint.others().map((at) => broadcast(chain, at, sending, log)));
}

function logStuck(facts: object, { log }: Pick<WalletDeps, "log">): void {
  log.error(
    { event: "transaction_stuck", ...facts },
    "Transaction stuck at the highest gas price; raise the ceiling or check the node",
  );
}

/**
 * Releases settlements that no node accepted to other wallets. If a node has kept the bytes after all,
 * the token still takes the authorization once, and its logs show the transaction.
 */
async function releaseCancelled(
  pendingNonces: readonly PendingNonce[],
  { store, events }: Pick<WalletDeps, "store" | "events">,
): Promise<void> {
  for (const pending of pendingNonces) {
    // No price was possible for its cancellation.
    if (!isCancellation(newestOf(pending))) continue;
    const carriers = pending.attempts.filter((transaction) => !isCancellation(transaction));
    await store.closeTransactions(carriers, "dropped");
    await events.onReleased([...pending.unresolved]);
    pending.unresolved.clear();
  }
}
