/**
 * What the chain says becomes what we say. One book per network holds the settlements whose outcome
 * is open; each block's events are looked up in it, ours and those of anybody who submitted an
 * authorization before us. "Failed" is written only when ours did not and will not move the money,
 * and is watched until the authorization has expired: money that moves after all is said to have.
 */
import type { ChainId, Hex } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { BlockInterest, ChainView, FollowedBlock } from "../chain/block-follower.ts";
import type { Chain } from "../chain/chain.ts";
import { readBlockHash } from "../chain/reads.ts";
import { isSettled, payerNonceKey, type Settlement } from "../model/settlement.ts";
import type { FailedSimulation } from "../relayer/prepare.ts";
import type { Confirmation, Failure, EngineStore } from "../storage/engine-store.ts";
import { createBacklog, type Backlog } from "./backlog.ts";
import { createEndRefused } from "./resolve-refused.ts";
import {
  counts,
  createEvidence,
  failureOf,
  isAuthorizedTransfer,
  type Evidence,
  type Found,
} from "./chain-proofs.ts";
import { createFailureWatch, type FailureWatch } from "./failure-watch.ts";
import { createFinality, type Finality } from "./finality.ts";
import { createMinedWithoutLog } from "./resolve-mined.ts";
import type { OutcomeBook, Vanished } from "./outcome-book.ts";
import type { Waiters } from "./waiters.ts";

/** Settlements that are read in one statement. */
const readAtOnce = 500;

/**
 * Confirmations that are written and told at once. A full block has thousands: the first of them
 * are answered, and their callers ask again, while the rest is written. Each write costs a commit.
 */
const confirmedAtOnce = 500;

/** What a book works with. */
export interface OutcomeDeps {
  readonly chain: Chain;
  readonly store: EngineStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly waiters: Waiters;
  /** Blocks a transaction must be deep: 1 is its own block. */
  readonly confirmations: number;
  /** Would the transfer go through now? The reason when it would not. */
  simulate(settlement: Settlement): Promise<FailedSimulation | undefined>;
  /** Told of settlements that have their outcome. */
  onSettled(settlementIds: readonly string[]): void;
  headNumber(): number;
  finalizedNumber(): number;
  view(): ChainView | undefined;
}

/** Tracks the settlements of one network until they have their outcome. */
export class OutcomeTracker implements OutcomeBook {
  readonly #deps: OutcomeDeps;
  readonly #chainId: ChainId;
  readonly #evidence: Evidence;
  readonly #open = new Map<string, Settlement>();
  /** Events seen, until they are deep enough and agreed upon; by settlement. */
  readonly #deepening = new Map<string, Found>();
  /** Found by a search, until they are as well; by settlement. */
  readonly #shallow = new Map<string, Found>();
  readonly #finality: Finality;
  readonly #backlog: Backlog;
  readonly #watch: FailureWatch;
  readonly onMinedWithoutLog: OutcomeBook["onMinedWithoutLog"];
  readonly onRefused: OutcomeBook["onRefused"];

  constructor(deps: OutcomeDeps) {
    this.#deps = deps;
    this.#chainId = deps.chain.network.chainId;
    this.#evidence = createEvidence(deps);
    this.#finality = createFinality(deps);
    const ends = {
      ...deps,
      evidence: this.#evidence,
      conclude: (found: readonly Found[]) => this.#concludeFound(found),
      fail: (failures: readonly Failure[], settlements: readonly Settlement[]) =>
        this.#fail(failures, settlements),
      listOpen: () => [...this.#open.values()].filter(({ id }) => !this.#deepening.has(id)),
    };
    this.onMinedWithoutLog = createMinedWithoutLog(ends);
    this.onRefused = createEndRefused(ends);
    this.#backlog = createBacklog(ends);
    this.#watch = createFailureWatch(ends);
  }

  track(settlement: Settlement): void {
    const key = payerNonceKey(settlement.payer, settlement.nonce);
    this.#watch.remove(settlement);
    if (isSettled(settlement)) {
      this.#deepening.delete(settlement.id);
      this.#open.delete(key);
      if (settlement.state === "failed") this.#watch.add(settlement);
    } else this.#open.set(key, settlement);
  }

  async onBlock(block: FollowedBlock): Promise<Map<Hex, Set<string>>> {
    const resolved = new Map<Hex, Set<string>>();
    this.#finality.noteBlock(block);
    for (const event of block.events) {
      const key = payerNonceKey(event.payer, event.nonce);
      const settlement = this.#open.get(key) ?? this.#watch.find(key);
      if (!settlement) continue;
      this.#deepening.set(settlement.id, { event, settlement });
      const ids = resolved.get(event.transaction) ?? new Set();
      resolved.set(event.transaction, ids.add(settlement.id));
    }
    const deepest = block.number - this.#deps.confirmations + 1;
    await this.#conclude(
      [...this.#deepening.values()].filter(({ event }) => event.blockNumber <= deepest),
    );
    return resolved;
  }

  async onHead(view: ChainView): Promise<void> {
    this.#backlog.onHead(view);
    await this.#finality.onHead(view);
  }

  async #conclude(found: readonly Found[]): Promise<void> {
    const confirmations: Confirmation[] = [];
    const failures: Failure[] = [];
    const final = this.#deps.finalizedNumber();
    const agreed = await this.#evidence.agreed(found.filter((one) => counts(one, final)));
    for (const { event, settlement } of agreed) {
      if (isAuthorizedTransfer(event, settlement)) {
        const mined = await this.#evidence.minedBy(event, settlement);
        confirmations.push({ id: settlement.id, mined });
      } else failures.push(failureOf(event, settlement));
    }
    for (let at = 0; at < confirmations.length; at += confirmedAtOnce) {
      const some = confirmations.slice(at, at + confirmedAtOnce);
      this.#finish(await this.#deps.store.recordConfirmed(some, this.#deps.clock.nowMs()));
    }
    if (failures.length > 0)
      this.#finish(await this.#deps.store.recordFailed(failures, this.#deps.clock.nowMs()));
    await this.#hearStored(agreed.map(({ settlement }) => settlement));
    // Only now: what could not be written is concluded with the next block.
    for (const one of agreed) {
      for (const kept of [this.#deepening, this.#shallow]) {
        if (kept.get(one.settlement.id) === one) kept.delete(one.settlement.id);
      }
    }
  }

  async #fail(failures: readonly Failure[], settlements: readonly Settlement[]): Promise<void> {
    if (failures.length === 0) return;
    this.#finish(await this.#deps.store.recordFailed(failures, this.#deps.clock.nowMs()));
    await this.#hearStored(settlements);
  }

  #finish(moved: readonly Settlement[]): void {
    for (const settlement of moved) logOutcome(settlement, this.#deps);
    this.#hear(moved);
  }

  /** What is open here and did not move had its outcome already: whoever wrote it told nobody here. */
  async #hearStored(settlements: readonly Settlement[]): Promise<void> {
    const left = settlements.filter(({ payer, nonce }) =>
      this.#open.has(payerNonceKey(payer, nonce)),
    );
    if (left.length === 0) return;
    const stored = await this.#deps.store.findSettlementsByPair(left);
    this.#hear(
      stored.flatMap((settlement) => (settlement && isSettled(settlement) ? [settlement] : [])),
    );
  }

  #hear(settled: readonly Settlement[]): void {
    for (const settlement of settled) {
      this.track(settlement);
      this.#deps.onSettled([settlement.id]);
      if (settlement.state === "confirmed")
        this.#finality.noteConfirmed(settlement.blockNumber ?? 0);
    }
    this.#deps.waiters.notify(settled);
  }

  /** Concludes what a search found, as far as it is deep enough to count. */
  async #concludeFound(found: readonly Found[]): Promise<void> {
    // Until they are concluded: what cannot be now is looked at again with the next head.
    for (const one of found) this.#shallow.set(one.settlement.id, one);
    await this.#conclude(found.filter((one) => this.#isDeep(one)));
  }

  #isDeep({ event: { blockNumber } }: Found): boolean {
    // A search may know blocks that are not followed yet.
    return (
      blockNumber <= Math.max(this.#deps.headNumber(), blockNumber) - this.#deps.confirmations + 1
    );
  }

  async catchUp(): Promise<void> {
    const listed = await this.#deps.store.listOpenSettlements(this.#chainId);
    const stored = listed.filter(
      ({ payer, nonce }) => !this.#open.has(payerNonceKey(payer, nonce)),
    );
    // From here on each block is looked through for all of them; the past is searched for each.
    for (const settlement of stored) this.track(settlement);
    const submitted: Settlement[] = [];
    for (let at = 0; at < stored.length; at += readAtOnce) {
      // What was done to them before they were followed here was told to nobody here.
      const read = await this.#deps.store.findSettlementsByPair(stored.slice(at, at + readAtOnce));
      const now = read.filter((one) => one !== undefined);
      for (const settlement of now) this.track(settlement);
      submitted.push(...now.filter(({ state }) => state === "submitted"));
      this.#backlog.searchLater(now.filter(({ state }) => state === "queued"));
    }
    // What nothing carries yet is simulated before it is sent: it can be looked up beside that.
    await this.#backlog.search(submitted);
    await this.#finality.readPast();
    this.#watch.start();
  }

  /**
   * Looks whether what was confirmed before this start, or found by a search, is still in the
   * chain. A node that does not have the block proves nothing; it is asked again.
   */
  async recheck(): Promise<Vanished | undefined> {
    const vanished = await this.#finality.findVanished();
    if (vanished) return this.onReorganisation(vanished.number, [vanished.hash]);
    const blocks = Map.groupBy(this.#shallow.values(), ({ event }) => event.blockHash);
    for (const [blockHash, found] of blocks) {
      const blockNumber = found[0]?.event.blockNumber ?? 0;
      const hash = await readBlockHash(this.#deps.chain, blockNumber);
      if (hash === blockHash) await this.#concludeFound(found);
      else if (hash !== undefined) return this.onReorganisation(blockNumber, [blockHash]);
    }
    return undefined;
  }

  async onReorganisation(fromBlock: number, gone: readonly Hex[]): Promise<Vanished> {
    for (const found of [this.#deepening, this.#shallow]) {
      for (const [id, { event }] of found) {
        if (event.blockNumber >= fromBlock) found.delete(id);
      }
    }
    // First the nonces, then the payments: what died in between would find a payment that nothing
    // carries, and give it another nonce while the first transaction may come back.
    await this.#deps.store.reopenTransactions(this.#chainId, { fromBlock });
    const put = await this.#deps.store.recordReorganised(
      this.#chainId,
      fromBlock,
      this.#deps.clock.nowMs(),
      gone,
    );
    for (const settlement of put) {
      this.track(settlement);
      const { id, transaction } = settlement;
      this.#deps.log.warn(
        { chainId: this.#chainId, settlementId: id, transaction },
        "Settlement reorganised away",
      );
    }
    this.#deps.waiters.notify(put);
    return { fromBlock, settlementIds: put.map(({ id }) => id) };
  }

  /** What is found is carried by its own transaction, also when that is closed here. */
  missing(settlementIds: readonly string[]): readonly string[] {
    return settlementIds.filter((id) => !this.#shallow.has(id) && !this.#deepening.has(id));
  }

  async requeue(settlementIds: readonly string[]): Promise<Settlement[]> {
    const put = await this.#deps.store.requeueSettlements(
      this.missing(settlementIds),
      this.#deps.clock.nowMs(),
    );
    for (const settlement of put) {
      this.track(settlement);
      this.#deps.log.info(
        { chainId: this.#chainId, settlementId: settlement.id },
        "Settlement queued again",
      );
    }
    this.#deps.waiters.notify(put);
    return put;
  }

  interest(): BlockInterest {
    if (this.#open.size > 0) return "outcome";
    // What a search found has to become deep enough, also where its settlement has failed here.
    const isAwaited = this.#finality.isAwaited() || this.#watch.isClose() || this.#shallow.size > 0;
    return isAwaited ? "finality" : "none";
  }

  openIds(): ReadonlySet<string> {
    return new Set([...this.#open.values()].map(({ id }) => id));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#backlog.stop(), this.#watch.stop()]);
  }
}

function logOutcome(settlement: Settlement, { clock, log }: OutcomeDeps): void {
  const { id, chainId, state, payer, transaction, settledBy, failure, createdAt } = settlement;
  const ms = clock.nowMs() - createdAt;
  const fields = { chainId, settlementId: id, payer, transaction, settledBy, failure, ms };
  log.info(fields, `Settlement ${state}`);
}
