/**
 * Tracks the settlements of one network until the chain decides them. Each block's events are matched
 * with the open settlements, regardless of who submitted the transaction. A settlement is recorded as failed
 * only when its transaction did not and will not move the money, and stays watched until its
 * authorization has expired: if the money moves after all, the settlement becomes confirmed.
 */
import type { Address, ChainId, Hex } from "@farthing/protocol";
import { warning, type Runtime } from "../base/log.ts";
import type { BlockInterest, ChainView, FollowedBlock } from "../chain/follower/chain-view.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { readBlockHash } from "../chain/reads/reads.ts";
import type { TokenPause } from "../chain/payments/token-pause.ts";
import { isSettled, payerNonceKey, type Settlement } from "../model/settlement.ts";
import type { FailedSimulation } from "../relayer/prepare.ts";
import type { Confirmation, Failure, EngineStore } from "../storage/engine-store.ts";
import { createBesideBlocks } from "./beside-blocks.ts";
import { createBacklog, type Backlog } from "./backlog.ts";
import {
  createChainProofs,
  failureOf,
  isAuthorizedTransfer,
  isConclusive,
  type ChainProofs,
  type Proof,
  type ProofDeps,
} from "./chain-proofs.ts";
import { createFailureWatch, type FailureWatch } from "./failure-watch.ts";
import { createFinality, type Finality } from "./finality.ts";
import { createResolveMined } from "./resolve-mined.ts";
import { createResolveRefused } from "./resolve-refused.ts";
import type { Waiters } from "./waiters.ts";

/** Settlements that are read in one statement. */
const readMax = 500;

/** Per commit: a full block has thousands, and the first are notified while the rest is written. */
const confirmMax = 500;

export interface OutcomeDeps extends Runtime {
  readonly chain: Chain;
  readonly store: EngineStore;
  readonly waiters: Waiters;
  /** The wallets of the configuration, and those that were taken out of it. */
  readonly wallets: readonly Address[];
  /** Blocks a transaction must be deep: 1 is its own block. */
  readonly confirmations: number;
  readonly tokenPause: Pick<TokenPause, "wasPausedAt">;
  /** Simulates the transfer on the current state; returns the reason when it would fail. */
  simulate(settlement: Settlement): Promise<FailedSimulation | undefined>;
  /** Receives the ids of settlements that have their outcome. */
  onSettled(settlementIds: readonly string[]): void;
  headNumber(): number;
  finalizedNumber(): number;
  view(): ChainView | undefined;
}

export class OutcomeTracker {
  readonly #deps: OutcomeDeps;
  readonly #chainId: ChainId;
  readonly #proofs: ChainProofs;
  readonly #open = new Map<string, Settlement>();
  /** Events of followed blocks that await confirmations or a quorum, by settlement. */
  readonly #awaitingConfirmations = new Map<string, Proof>();
  /** Events found by a search that await the same, by settlement. */
  readonly #unconfirmed = new Map<string, Proof>();
  readonly #beside: ReturnType<typeof createBesideBlocks>;
  readonly #finality: Finality;
  readonly #backlog: Backlog;
  readonly #watch: FailureWatch;
  readonly onMinedWithoutLog: ReturnType<typeof createResolveMined>;
  readonly onRefused: ReturnType<typeof createResolveRefused>;

  constructor(deps: OutcomeDeps) {
    this.#deps = deps;
    this.#chainId = deps.chain.network.chainId;
    this.#proofs = createChainProofs(deps);
    this.#finality = createFinality(deps);
    const notRecorded = { event: "outcome_not_recorded", chainId: this.#chainId };
    const message = "Outcomes not recorded; retrying with the next block";
    this.#beside = createBesideBlocks(warning(deps.log, notRecorded, message));
    const shared: OutcomeDeps & ProofDeps = {
      ...deps,
      proofs: this.#proofs,
      conclude: (found) => this.concludeFound(found),
      fail: (failures, settlements) => this.#fail(failures, settlements),
    };
    this.onMinedWithoutLog = createResolveMined(shared);
    this.onRefused = createResolveRefused(shared);
    this.#backlog = createBacklog({ ...shared, listOpen: () => this.listUndecided() });
    this.#watch = createFailureWatch(shared);
  }

  /** Adds a settlement, or replaces it by its newer state. */
  observe(settlement: Settlement): void {
    const key = payerNonceKey(settlement);
    this.#watch.remove(settlement);
    if (isSettled(settlement)) {
      this.#awaitingConfirmations.delete(settlement.id);
      this.#open.delete(key);
      if (settlement.state === "failed") this.#watch.add(settlement);
    } else this.#open.set(key, settlement);
  }

  /** Matches a block's events; returns the ids of the settlements found, by transaction. */
  async onBlock(block: FollowedBlock): Promise<Map<Hex, Set<string>>> {
    const resolved = new Map<Hex, Set<string>>();
    this.#finality.noteBlock(block);
    for (const event of block.events) {
      const key = payerNonceKey(event);
      const settlement = this.#open.get(key) ?? this.#watch.find(key);
      if (!settlement) continue;
      this.#awaitingConfirmations.set(settlement.id, { event, settlement });
      const ids = resolved.get(event.transaction) ?? new Set();
      resolved.set(event.transaction, ids.add(settlement.id));
    }
    const deepest = block.number - this.#deps.confirmations + 1;
    const deep = [...this.#awaitingConfirmations.values()].filter(
      (proof) => proof.event.blockNumber <= deepest && !this.#beside.has(proof),
    );
    if (this.#deps.chain.endpoints.length < 2) await this.#conclude(deep);
    // A second endpoint may be slow, and the next block does not depend on its opinion.
    else this.#beside.start(deep, (proofs) => this.#conclude(proofs));
    return resolved;
  }

  /** Ends expired settlements and records finality, after the relayer has processed the block. */
  async onHead(view: ChainView): Promise<void> {
    this.#backlog.onHead(view);
    await this.#finality.onHead(view);
  }

  /** Whether no reorganisation has taken the proof back meanwhile. */
  #stands(proof: Proof): boolean {
    const kept = [this.#awaitingConfirmations, this.#unconfirmed];
    return kept.some((proofs) => proofs.get(proof.settlement.id) === proof);
  }

  async #conclude(proofs: readonly Proof[]): Promise<void> {
    const { store, clock } = this.#deps;
    const confirmations: Confirmation[] = [];
    const failures: Failure[] = [];
    const finalized = this.#deps.finalizedNumber();
    const confirmed = await this.#proofs.confirmByQuorum(
      proofs.filter((proof) => isConclusive(proof, finalized)),
    );
    for (const proof of confirmed.filter((one) => this.#stands(one))) {
      if (isAuthorizedTransfer(proof)) {
        const mined = await this.#proofs.minedOf(proof.event, proof.settlement);
        confirmations.push({ id: proof.settlement.id, mined });
      } else failures.push(failureOf(proof));
    }
    for (let at = 0; at < confirmations.length; at += confirmMax) {
      const some = confirmations.slice(at, at + confirmMax);
      this.#finish(await store.recordConfirmed(some, clock.nowMs()));
    }
    if (failures.length > 0) this.#finish(await store.recordFailed(failures, clock.nowMs()));
    await this.#refreshOpen(confirmed.map(({ settlement }) => settlement));
    // Proofs are dropped last: after a failed write they are concluded with the next block.
    for (const proof of confirmed) {
      for (const kept of [this.#awaitingConfirmations, this.#unconfirmed]) {
        if (kept.get(proof.settlement.id) === proof) kept.delete(proof.settlement.id);
      }
    }
  }

  async #fail(failures: readonly Failure[], settlements: readonly Settlement[]): Promise<void> {
    if (failures.length === 0) return;
    this.#finish(await this.#deps.store.recordFailed(failures, this.#deps.clock.nowMs()));
    await this.#refreshOpen(settlements);
  }

  #finish(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) logOutcome(settlement, this.#deps);
    this.#observeSettled(settlements);
  }

  /** Reads settlements that are still open here: another process may have recorded their outcome. */
  async #refreshOpen(settlements: readonly Settlement[]): Promise<void> {
    const open = settlements.filter((one) => this.#isOpen(one));
    if (open.length === 0) return;
    const stored = await this.#deps.store.findSettlementsByKey(open);
    this.#observeSettled(stored.filter((one) => one !== undefined).filter(isSettled));
  }

  #observeSettled(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) {
      this.observe(settlement);
      if (settlement.state === "confirmed")
        this.#finality.noteConfirmed(settlement.blockNumber ?? 0);
    }
    this.#deps.onSettled(settlements.map(({ id }) => id));
    this.#deps.waiters.notify(settlements);
  }

  /** Keeps what a search found until it is concluded; the next head tries again. */
  async concludeFound(found: readonly Proof[]): Promise<void> {
    for (const proof of found) this.#unconfirmed.set(proof.settlement.id, proof);
    const { confirmations } = this.#deps;
    const isDeep = ({ event: { blockNumber } }: Proof) =>
      // A search may return blocks that the follower has not reached.
      blockNumber <= Math.max(this.#deps.headNumber(), blockNumber) - confirmations + 1;
    await this.#conclude(found.filter(isDeep));
  }

  /** Adds stored settlements that are not tracked yet, and searches the past for their outcomes. */
  async catchUp(): Promise<void> {
    const listed = await this.#deps.store.listOpenSettlements(this.#chainId);
    const added = listed.filter((one) => !this.#isOpen(one));
    for (const settlement of added) this.observe(settlement);
    const submitted: Settlement[] = [];
    for (let at = 0; at < added.length; at += readMax) {
      // Another process may have changed them before they were tracked here.
      const read = await this.#deps.store.findSettlementsByKey(added.slice(at, at + readMax));
      const current = read.filter((one) => one !== undefined);
      for (const settlement of current) this.observe(settlement);
      submitted.push(...current.filter(({ state }) => state === "submitted"));
      this.#backlog.searchLater(current.filter(({ state }) => state === "queued"));
    }
    // Queued settlements are simulated before they are sent, so their search need not be awaited.
    await this.#backlog.search(submitted);
    await this.#finality.readPast();
    this.#watch.start();
  }

  /** Reverts earlier confirmations and search results whose block has left the chain. */
  async recheck(): Promise<readonly string[] | undefined> {
    const block = await this.#finality.findReorganisedOut();
    if (block) return this.onReorganisation(block.number, [block.hash]);
    const blocks = Map.groupBy(this.#unconfirmed.values(), ({ event }) => event.blockHash);
    for (const [blockHash, found] of blocks) {
      const blockNumber = found[0]?.event.blockNumber ?? 0;
      const hash = await readBlockHash(this.#deps.chain, blockNumber);
      if (hash === blockHash) await this.concludeFound(found);
      else if (hash !== undefined) return this.onReorganisation(blockNumber, [blockHash]);
    }
    return undefined;
  }

  /** Reverts what these blocks had confirmed; returns the ids of settlements that are open again. */
  async onReorganisation(fromBlock: number, hashes: readonly Hex[]): Promise<readonly string[]> {
    const { store, clock, log, waiters } = this.#deps;
    for (const found of [this.#awaitingConfirmations, this.#unconfirmed]) {
      for (const [id, { event }] of found) if (event.blockNumber >= fromBlock) found.delete(id);
    }
    // What was confirmed before the proofs were taken back is recorded first, and reverted then.
    await this.#beside.end();
    // Nonces before payments: a crash in between must not leave a payment without a transaction, or it would
    // get another nonce while the first may be mined again. Once more, where a failover has lost the first commit.
    await store.reopenTransactions(this.#chainId, { fromBlock });
    const reverted = await store.recordReorganised(this.#chainId, fromBlock, clock.nowMs(), hashes);
    if (reverted.length > 0) await store.reopenTransactions(this.#chainId, { fromBlock });
    for (const settlement of reverted) {
      this.observe(settlement);
      const { id: settlementId, transaction } = settlement;
      const fields = { chainId: this.#chainId, settlementId, transaction };
      log.warn({ event: "settlement_reorganised", ...fields }, "Settlement reorganised out");
    }
    waiters.notify(reverted);
    return reverted.map(({ id }) => id);
  }

  /** Settlements without a proof; the others belong to their transaction, also when it is closed. */
  unproven(settlementIds: readonly string[]): readonly string[] {
    return settlementIds.filter(
      (id) => !this.#unconfirmed.has(id) && !this.#awaitingConfirmations.has(id),
    );
  }

  /** Requeues unproven settlements that no open transaction carries; returns those. */
  async requeue(ids: readonly string[]): Promise<Settlement[]> {
    const { store, clock, log, waiters, finalizedNumber: finalized } = this.#deps;
    const again = await store.requeueSettlements(this.unproven(ids), clock.nowMs(), finalized());
    for (const settlement of again) {
      this.observe(settlement);
      const fields = { chainId: this.#chainId, settlementId: settlement.id };
      log.info({ event: "settlement_requeued", ...fields }, "Settlement requeued");
    }
    waiters.notify(again);
    return again;
  }

  interest(): BlockInterest {
    if (this.#open.size > 0) return "outcome";
    const isAwaited =
      this.#finality.isAwaited() || this.#watch.isClose() || this.#unconfirmed.size > 0;
    return isAwaited ? "finality" : "none";
  }

  /** Open settlements without an event in a followed block. */
  listUndecided(): Settlement[] {
    return [...this.#open.values()].filter(({ id }) => !this.#awaitingConfirmations.has(id));
  }

  openIds(): ReadonlySet<string> {
    return new Set([...this.#open.values()].map(({ id }) => id));
  }

  #isOpen(settlement: Settlement): boolean {
    return this.#open.has(payerNonceKey(settlement));
  }

  /** Waits for running searches and ends. */
  async stop(): Promise<void> {
    await Promise.all([this.#backlog.stop(), this.#watch.stop(), this.#beside.end()]);
  }
}

function logOutcome(settlement: Settlement, { clock, log }: OutcomeDeps): void {
  const { id, chainId, state, payer, transaction, settledBy, failure, createdAt } = settlement;
  const ms = clock.nowMs() - createdAt;
  const fields = { chainId, settlementId: id, payer, transaction, settledBy, failure, ms };
  log.info({ event: `settlement_${state}`, ...fields }, `Settlement ${state}`);
}
