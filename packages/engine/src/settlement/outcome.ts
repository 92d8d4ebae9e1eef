/**
 * What the chain says becomes what we say. One book per network holds the settlements whose outcome
 * is open; each block's events are looked up in it, ours and those of anybody who submitted an
 * authorization before us. "Failed" is written only when ours did not and will not move the money,
 * and is watched until the authorization has expired: money that moves after all is said to have.
 */
import type { Hex } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { BlockInterest, ChainView, FollowedBlock } from "../chain/block-follower.ts";
import type { Chain } from "../chain/chain.ts";
import { readBlockHash } from "../chain/reads.ts";
import { isSettled, payerNonceKey, type Settlement } from "../model/settlement.ts";
import type { Judgement } from "../relayer/prepare.ts";
import type { Confirmation, Failure, EngineStore } from "../storage/engine-store.ts";
import { createBacklog } from "./backlog.ts";
import { createEndRefused } from "./end-refused.ts";
import { counts, createEvidence, failureOf, isAuthorizedTransfer, type Found } from "./evidence.ts";
import { createFailureWatch } from "./failure-watch.ts";
import { createFinality } from "./finality.ts";
import { createMinedWithoutLog } from "./mined-without-log.ts";
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
  simulate(settlement: Settlement): Promise<Judgement | undefined>;
  /** Told of settlements that have their outcome. */
  onSettled(settlementIds: readonly string[]): void;
  headNumber(): number;
  finalizedNumber(): number;
  view(): ChainView | undefined;
}

/** Creates the book of a network. */
export function createOutcomeBook(deps: OutcomeDeps): OutcomeBook {
  const { chain, store, clock, log, waiters, confirmations } = deps;
  const { chainId } = chain.network;
  const evidence = createEvidence(deps);
  const open = new Map<string, Settlement>();
  /** Events seen, until they are deep enough and agreed upon; by settlement. */
  const deepening = new Map<string, Found>();
  /** Found by a search, until they are as well; by settlement. */
  const shallow = new Map<string, Found>();
  const finality = createFinality(deps);
  const ends = { ...deps, evidence, conclude: concludeFound, fail };
  const onMinedWithoutLog = createMinedWithoutLog(ends);
  const onRefused = createEndRefused(ends);
  const listOpen = () => [...open.values()].filter(({ id }) => !deepening.has(id));
  const backlog = createBacklog({ ...ends, listOpen });
  const watch = createFailureWatch(ends);

  function track(settlement: Settlement): void {
    const key = payerNonceKey(settlement.payer, settlement.nonce);
    watch.remove(settlement);
    if (isSettled(settlement)) {
      deepening.delete(settlement.id);
      open.delete(key);
      if (settlement.state === "failed") watch.add(settlement);
    } else open.set(key, settlement);
  }

  async function onBlock(block: FollowedBlock): Promise<Map<Hex, Set<string>>> {
    const resolved = new Map<Hex, Set<string>>();
    finality.noteBlock(block);
    for (const event of block.events) {
      const key = payerNonceKey(event.payer, event.nonce);
      const settlement = open.get(key) ?? watch.find(key);
      if (!settlement) continue;
      deepening.set(settlement.id, { event, settlement });
      const ids = resolved.get(event.transaction) ?? new Set();
      resolved.set(event.transaction, ids.add(settlement.id));
    }
    const deepest = block.number - confirmations + 1;
    await conclude([...deepening.values()].filter(({ event }) => event.blockNumber <= deepest));
    return resolved;
  }

  async function onHead(view: ChainView): Promise<void> {
    backlog.onHead(view);
    await finality.onHead(view);
  }

  async function conclude(found: readonly Found[]): Promise<void> {
    const confirmations: Confirmation[] = [];
    const failures: Failure[] = [];
    const final = deps.finalizedNumber();
    const agreed = await evidence.agreed(found.filter((one) => counts(one, final)));
    for (const { event, settlement } of agreed) {
      if (isAuthorizedTransfer(event, settlement)) {
        const mined = await evidence.minedBy(event, settlement);
        confirmations.push({ id: settlement.id, mined });
      } else failures.push(failureOf(event, settlement));
    }
    for (let at = 0; at < confirmations.length; at += confirmedAtOnce) {
      const some = confirmations.slice(at, at + confirmedAtOnce);
      finish(await store.recordConfirmed(some, clock.nowMs()));
    }
    if (failures.length > 0) finish(await store.recordFailed(failures, clock.nowMs()));
    await hearStored(agreed.map(({ settlement }) => settlement));
    // Only now: what could not be written is concluded with the next block.
    for (const one of agreed) {
      for (const kept of [deepening, shallow]) {
        if (kept.get(one.settlement.id) === one) kept.delete(one.settlement.id);
      }
    }
  }

  async function fail(
    failures: readonly Failure[],
    settlements: readonly Settlement[],
  ): Promise<void> {
    if (failures.length === 0) return;
    finish(await store.recordFailed(failures, clock.nowMs()));
    await hearStored(settlements);
  }

  function finish(moved: readonly Settlement[]): void {
    for (const settlement of moved) {
      const { id, state, payer, transaction, settledBy, failure } = settlement;
      const ms = clock.nowMs() - settlement.createdAt;
      const fields = { chainId, settlementId: id, payer, transaction, settledBy, failure, ms };
      log.info(fields, `Settlement ${state}`);
    }
    hear(moved);
  }

  /** What is open here and did not move had its outcome already: whoever wrote it told nobody here. */
  async function hearStored(settlements: readonly Settlement[]): Promise<void> {
    const left = settlements.filter(({ payer, nonce }) => open.has(payerNonceKey(payer, nonce)));
    if (left.length === 0) return;
    const stored = await store.findSettlementsByPair(left);
    hear(stored.flatMap((settlement) => (settlement && isSettled(settlement) ? [settlement] : [])));
  }

  function hear(settled: readonly Settlement[]): void {
    for (const settlement of settled) {
      track(settlement);
      deps.onSettled([settlement.id]);
      if (settlement.state === "confirmed") finality.noteConfirmed(settlement.blockNumber ?? 0);
    }
    waiters.notify(settled);
  }

  /** Concludes what a search found, as far as it is deep enough to count. */
  async function concludeFound(found: readonly Found[]): Promise<void> {
    // Until they are concluded: what cannot be now is looked at again with the next head.
    for (const one of found) shallow.set(one.settlement.id, one);
    await conclude(found.filter(isDeep));
  }

  function isDeep({ event: { blockNumber } }: Found): boolean {
    // A search may know blocks that are not followed yet.
    return blockNumber <= Math.max(deps.headNumber(), blockNumber) - confirmations + 1;
  }

  function isUnknown({ payer, nonce }: Settlement): boolean {
    return !open.has(payerNonceKey(payer, nonce));
  }

  async function catchUp(): Promise<void> {
    const stored = (await store.listOpenSettlements(chainId)).filter(isUnknown);
    // From here on each block is looked through for all of them; the past is searched for each.
    for (const settlement of stored) track(settlement);
    const submitted: Settlement[] = [];
    for (let at = 0; at < stored.length; at += readAtOnce) {
      // What was done to them before they were followed here was told to nobody here.
      const read = await store.findSettlementsByPair(stored.slice(at, at + readAtOnce));
      const now = read.filter((one) => one !== undefined);
      for (const settlement of now) track(settlement);
      submitted.push(...now.filter(({ state }) => state === "submitted"));
      backlog.searchLater(now.filter(({ state }) => state === "queued"));
    }
    // What nothing carries yet is simulated before it is sent: it can be looked up beside that.
    await backlog.search(submitted);
    await finality.readPast();
    watch.start();
  }

  /**
   * Looks whether what was confirmed before this start, or found by a search, is still in the
   * chain. A node that does not have the block proves nothing; it is asked again.
   */
  async function recheck(): Promise<Vanished | undefined> {
    const vanished = await finality.findVanished();
    if (vanished) return onReorganisation(vanished.number, [vanished.hash]);
    const blocks = Map.groupBy(shallow.values(), ({ event }) => event.blockHash);
    for (const [blockHash, found] of blocks) {
      const blockNumber = found[0]?.event.blockNumber ?? 0;
      const hash = await readBlockHash(chain, blockNumber);
      if (hash === blockHash) await concludeFound(found);
      else if (hash !== undefined) return onReorganisation(blockNumber, [blockHash]);
    }
    return undefined;
  }

  async function onReorganisation(fromBlock: number, gone: readonly Hex[]): Promise<Vanished> {
    for (const found of [deepening, shallow]) {
      for (const [id, { event }] of found) {
        if (event.blockNumber >= fromBlock) found.delete(id);
      }
    }
    // First the nonces, then the payments: what died in between would find a payment that nothing
    // carries, and give it another nonce while the first transaction may come back.
    await store.reopenTransactions(chainId, { fromBlock });
    const put = await store.recordReorganised(chainId, fromBlock, clock.nowMs(), gone);
    for (const settlement of put) {
      track(settlement);
      const { id, transaction } = settlement;
      log.warn({ chainId, settlementId: id, transaction }, "Settlement reorganised away");
    }
    waiters.notify(put);
    return { fromBlock, settlementIds: put.map(({ id }) => id) };
  }

  /** What is found is carried by its own transaction, also when that is closed here. */
  function missing(settlementIds: readonly string[]): readonly string[] {
    return settlementIds.filter((id) => !shallow.has(id) && !deepening.has(id));
  }

  async function requeue(settlementIds: readonly string[]): Promise<Settlement[]> {
    const put = await store.requeueSettlements(missing(settlementIds), clock.nowMs());
    for (const settlement of put) {
      track(settlement);
      log.info({ chainId, settlementId: settlement.id }, "Settlement queued again");
    }
    waiters.notify(put);
    return put;
  }

  function interest(): BlockInterest {
    if (open.size > 0) return "outcome";
    // What a search found has to become deep enough, also where its settlement has failed here.
    const isAwaited = finality.isAwaited() || watch.isClose() || shallow.size > 0;
    return isAwaited ? "finality" : "none";
  }

  return {
    track,
    openIds: () => new Set([...open.values()].map(({ id }) => id)),
    interest,
    onBlock,
    onHead,
    onReorganisation,
    onMinedWithoutLog,
    onRefused,
    missing,
    requeue,
    catchUp,
    recheck,
    stop: async () => void (await Promise.all([backlog.stop(), watch.stop()])),
  };
}
