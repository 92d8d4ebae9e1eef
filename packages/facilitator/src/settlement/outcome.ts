/**
 * What the chain says becomes what we say. One book per network holds the settlements whose outcome
 * is open; each block's events are looked up in it, ours and those of anybody who submitted an
 * authorization before us. "Failed" is written only when ours did not and will not move the money,
 * and is watched until the authorization has expired: money that moves after all is said to have.
 */
import { refusal, type Hex, type Refusal } from "@farthing/protocol";
import { timeText, type Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { BlockInterest, ChainView, FollowedBlock } from "../chain/block-follower.ts";
import type { Chain } from "../chain/chain.ts";
import { readBlockHash } from "../chain/reads.ts";
import { isSettled, payerNonceKey, type Settlement } from "../model/settlement.ts";
import type { Judgement } from "../relayer/prepare.ts";
import type { MinedTransaction } from "../relayer/used-nonces.ts";
import type { Confirmation, Failure, Store } from "../storage/store.ts";
import {
  counts,
  createEvidence,
  failureOf,
  failureOfMined,
  isAuthorizedTransfer,
  isCarriedBy,
  isNews,
  isWholeBatch,
  type Found,
} from "./evidence.ts";
import { createFinality } from "./finality.ts";
import type { OutcomeBook, Vanished } from "./outcome-book.ts";
import type { Waiters } from "./waiters.ts";

/** How far back failures are watched after a start; authorizations seldom last an hour. */
const watchFailuresMs = 24 * 60 * 60 * 1000;

/**
 * Searches at the same time before a start serves: one by one, a full queue of 5,000 would take
 * minutes of a node's answers. Nodes take this many requests at once from their readers anyway.
 */
const searchesMax = 16;

/**
 * Confirmations that are written and told at once. A full block has thousands: the first of them
 * are answered, and their callers ask again, while the rest is written. Each write costs a commit.
 */
const confirmedAtOnce = 500;

/** What a book works with. */
export interface OutcomeDeps {
  readonly chain: Chain;
  readonly store: Store;
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
}

/** Creates the book of a network. */
export function createOutcomeBook(deps: OutcomeDeps): OutcomeBook {
  const { chain, store, clock, log, waiters, confirmations } = deps;
  const { chainId } = chain.network;
  const evidence = createEvidence(deps);
  const open = new Map<string, Settlement>();
  /** Failed, while their authorizations are still valid. */
  const failed = new Map<string, Settlement>();
  /** Events seen, until they are deep enough and agreed upon; by settlement. */
  const deepening = new Map<string, Found>();
  /** Found by a search, until they are as well; by settlement. */
  const shallow = new Map<string, Found>();
  /** Not looked up since this start, for want of an answer. */
  const unsearched = new Map<string, Settlement>();
  const finality = createFinality(deps);

  function track(settlement: Settlement): void {
    const key = payerNonceKey(settlement.payer, settlement.nonce);
    failed.delete(key);
    if (isSettled(settlement)) {
      deepening.delete(settlement.id);
      open.delete(key);
      if (settlement.state === "failed") failed.set(key, settlement);
    } else open.set(key, settlement);
  }

  async function onBlock(block: FollowedBlock): Promise<Map<Hex, Set<string>>> {
    const resolved = new Map<Hex, Set<string>>();
    finality.noteBlock(block);
    for (const event of block.events) {
      const key = payerNonceKey(event.payer, event.nonce);
      const settlement = open.get(key) ?? failed.get(key);
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
    for (const settlement of Array.from(unsearched.values())) await search(settlement);
    await endExpired(view);
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
    await lookUp(agreed.map(({ settlement }) => settlement));
    // Only now: what could not be written is concluded with the next block.
    for (const one of agreed) {
      for (const kept of [deepening, shallow]) {
        if (kept.get(one.settlement.id) === one) kept.delete(one.settlement.id);
      }
    }
  }

  async function fail(
    settlement: Settlement,
    { code, message }: Refusal,
    where: Pick<Failure, "transaction" | "onlyUnassigned">,
  ) {
    const { id } = settlement;
    finish(await store.recordFailed([{ id, code, message, ...where }], clock.nowMs()));
    await lookUp([settlement]);
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
  async function lookUp(settlements: readonly Settlement[]): Promise<void> {
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

  /**
   * Ends what no block can carry any more: the time of a final block has passed validBefore, and
   * the token calls the nonce unused. Whether it was sent makes no difference then.
   */
  async function endExpired(view: ChainView): Promise<void> {
    const isOver = ({ validBefore }: Settlement) => view.finalized.time >= validBefore;
    for (const [key, settlement] of failed) if (isOver(settlement)) failed.delete(key);
    for (const settlement of open.values()) {
      if (!isOver(settlement) || deepening.has(settlement.id)) continue;
      try {
        const { transaction } = settlement;
        await endUnmoved(settlement, expired, view.finalized.number, { transaction });
      } catch (error) {
        // Looked at again with the next block; the others go on.
        const fields = { chainId, settlementId: settlement.id, problem: messageOf(error) };
        log.warn(fields, "Could not end an expired settlement");
      }
    }
  }

  /** Ends what nothing of ours moves, if at a block its nonce is unused. */
  async function endUnmoved(
    settlement: Settlement,
    why: Refusal,
    atBlock: number,
    where: Parameters<typeof fail>[2],
  ): Promise<void> {
    // "Used" may well be our payer's payment, submitted by somebody else: look before saying no.
    const event = await evidence.find(settlement);
    if (event) return concludeFound({ event, settlement });
    await evidence.checkUnused(settlement, atBlock);
    await fail(settlement, why, where);
  }

  /** Concludes what a search found, once it is deep enough to count. */
  async function concludeFound(found: Found): Promise<void> {
    const { event, settlement } = found;
    // Until it is concluded: what cannot be now is looked at again with the next head.
    shallow.set(settlement.id, found);
    // The search may know blocks that are not followed yet.
    const head = Math.max(deps.headNumber(), event.blockNumber);
    if (event.blockNumber <= head - confirmations + 1) await conclude([found]);
  }

  /** Looks a settlement up in the past; what cannot be looked up now is looked up later. */
  async function search(settlement: Settlement): Promise<void> {
    unsearched.delete(settlement.id);
    try {
      const event = await evidence.find(settlement);
      if (event && isNews(event, settlement)) await concludeFound({ event, settlement });
    } catch (error) {
      unsearched.set(settlement.id, settlement);
      const fields = { chainId, settlementId: settlement.id, problem: messageOf(error) };
      log.warn(fields, "Could not look up a settlement");
    }
  }

  function onRefused(settlement: Settlement, { refusal: why, atBlock }: Judgement): Promise<void> {
    const where = { transaction: null, onlyUnassigned: true };
    return endUnmoved(settlement, why, Math.max(deps.headNumber(), atBlock), where);
  }

  async function onMinedWithoutLog(mined: MinedTransaction): Promise<readonly string[]> {
    const again: string[] = [];
    for (const id of mined.unresolved) {
      const settlement = await store.findSettlement(id);
      // One that another nonce carries by now is not this transaction's to judge.
      if (!settlement || !isCarriedBy(settlement, mined)) continue;
      if ((await endMined(settlement, mined)) === "again") again.push(id);
    }
    if (isWholeBatch(mined)) {
      const { hash, unresolved } = mined;
      const counts = { settlements: unresolved.length, queuedAgain: again.length };
      log.warn(
        { event: "batch_reverted", chainId, transaction: hash, ...counts },
        "Batch reverted",
      );
    }
    return again;
  }

  async function failMined(settlement: Settlement, mined: MinedTransaction, found?: Refusal) {
    const failure = failureOfMined(settlement, mined, found);
    finish(await store.recordFailed([failure], clock.nowMs()));
    await lookUp([settlement]);
    if (!failure.pausesPayer) return;
    const { id, payer } = settlement;
    const [pause] = await store.findPayerPauses(chainId, [payer]);
    const until = pause && timeText(pause.pausedUntilMs);
    const fields = { chainId, payer, settlementId: id, transaction: mined.hash };
    log.warn({ event: "payer_paused", ...fields, reverts: pause?.reverts, until }, "Payer paused");
  }

  async function endMined(
    settlement: Settlement,
    mined: MinedTransaction,
  ): Promise<"ended" | "again"> {
    const event = await evidence.find(settlement);
    if (event) {
      await concludeFound({ event, settlement });
      return "ended";
    }
    // What the token says to the same transfer now, if it says no.
    const judgement = await deps.simulate(settlement);
    const atBlock = judgement?.atBlock ?? 0;
    await evidence.checkUnused(settlement, Math.max(mined.blockNumber, deps.headNumber(), atBlock));
    // Others in the same transaction may be to blame. It is final, so it moves nothing any more.
    if (isWholeBatch(mined) && !judgement) return "again";
    await failMined(settlement, mined, judgement?.refusal);
    return "ended";
  }

  function isUnknown({ payer, nonce }: Settlement): boolean {
    const key = payerNonceKey(payer, nonce);
    return !open.has(key) && !failed.has(key);
  }

  /** What was done to it before it was followed here was told to nobody here. */
  async function searchAfresh(id: string): Promise<void> {
    const settlement = await store.findSettlement(id);
    if (!settlement) return;
    track(settlement);
    if (settlement.state !== "confirmed") await search(settlement);
  }

  async function catchUp(): Promise<void> {
    const since = clock.nowMs() - watchFailuresMs;
    const stored = [
      ...(await store.listOpenSettlements(chainId)),
      ...(await store.listFailedSince(chainId, since)),
    ].filter(isUnknown);
    // From here on each block is looked through for all of them; the past is searched for each.
    for (const settlement of stored) track(settlement);
    for (let at = 0; at < stored.length; at += searchesMax) {
      await Promise.all(stored.slice(at, at + searchesMax).map(({ id }) => searchAfresh(id)));
    }
    await finality.readPast();
  }

  /**
   * Looks whether what was confirmed before this start, or found by a search, is still in the
   * chain. A node that does not have the block proves nothing; it is asked again.
   */
  async function recheck(): Promise<Vanished | undefined> {
    const vanished = await finality.findVanished();
    if (vanished) return onReorganisation(vanished.number, [vanished.hash]);
    for (const found of Array.from(shallow.values())) {
      const { blockNumber, blockHash } = found.event;
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
    const put = await store.requeueSettlements(missing(settlementIds));
    for (const settlement of put) {
      track(settlement);
      log.info({ chainId, settlementId: settlement.id }, "Settlement queued again");
    }
    waiters.notify(put);
    return put;
  }

  function interest(): BlockInterest {
    if (open.size > 0) return "outcome";
    return finality.isAwaited() || failed.size > 0 ? "finality" : "none";
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
  };
}

const expired = refusal(
  "authorization_expired",
  "The authorization expired before it was mined; sign a new one.",
);
