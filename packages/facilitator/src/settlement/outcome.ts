/**
 * What the chain says becomes what we say. One book per network holds the settlements whose outcome
 * is open; each block's events are looked up in it, ours and those of anybody who submitted an
 * authorization before us. "Failed" is written only when the money did not and will not move.
 */
import {
  explorerLink,
  isSameAddress,
  networkOfChain,
  refusal,
  type Hex,
  type Refusal,
} from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { Fault, messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import {
  areEventsSeenElsewhere,
  findAuthorizationEvent,
  isUnusedElsewhere,
  type AuthorizationEvent,
} from "../chain/authorization-logs.ts";
import type { BlockInterest, ChainView, FollowedBlock } from "../chain/block-follower.ts";
import type { Chain } from "../chain/chain.ts";
import { readBlockHash } from "../chain/reads.ts";
import { isSettled, payerNonceKey, type Mined, type Settlement } from "../model/settlement.ts";
import type { MinedTransaction } from "../relayer/used-nonces.ts";
import type { Confirmation, Failure, Store } from "../storage/store.ts";
import type { Waiters } from "./waiters.ts";

/**
 * Blocks before the one that saw the nonce unused from which a search begins: another endpoint
 * may have answered a few blocks behind.
 */
const searchSlackBlocks = 12;

/** What a reorganisation took out of the chain. */
export interface Vanished {
  /** Transactions of ours, to be sent again as the same bytes. */
  readonly transactions: readonly Hex[];
  /** Settlements that somebody else's transaction had settled: they need one of ours now. */
  readonly orphans: readonly string[];
}

/** The open settlements of a network. */
export interface OutcomeBook {
  /** Takes a settlement in, or its newer state. */
  track(settlement: Settlement): void;
  /** Settlements whose outcome is open here. */
  openIds(): ReadonlySet<string>;
  interest(): BlockInterest;
  /** Looks a block's events up; gives the settlements found, by transaction. */
  onBlock(block: FollowedBlock, view: ChainView): Promise<Map<Hex, Set<string>>>;
  /** Puts back what vanished blocks had confirmed. */
  onReorganisation(fromBlock: number): Promise<Vanished>;
  /**
   * A transaction of ours is mined and lacks logs of some of its settlements. Throws a fault while
   * the chain cannot tell what became of them.
   */
  onMinedWithoutLog(mined: MinedTransaction): Promise<void>;
  /** A queued settlement would fail now. */
  onRefused(settlement: Settlement, why: Refusal): Promise<void>;
  /** Their transactions can never be mined; gives them back as queued. */
  onNeverMined(settlementIds: readonly string[]): Promise<Settlement[]>;
  /**
   * Searches the past for what happened while no process was looking, and puts back what
   * vanished meanwhile.
   */
  catchUp(): Promise<Vanished>;
}

/** An open settlement and the event that ends it. */
interface Found {
  readonly event: AuthorizationEvent;
  readonly settlement: Settlement;
}

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
  simulate(settlement: Settlement): Promise<Refusal | undefined>;
  /** Told of settlements that have their outcome. */
  onSettled(settlementIds: readonly string[]): void;
  headNumber(): number;
}

/** Creates the book of a network. */
export function createOutcomeBook(deps: OutcomeDeps): OutcomeBook {
  const { chain, store, clock, log, waiters, confirmations } = deps;
  const { chainId } = chain.network;
  const open = new Map<string, Settlement>();
  /** Events seen, until they are deep enough and agreed upon; by settlement. */
  const deepening = new Map<string, Found>();
  let unfinalizedUpTo = 0;

  function track(settlement: Settlement): void {
    if (isSettled(settlement)) {
      deepening.delete(settlement.id);
      open.delete(keyOf(settlement));
    } else open.set(keyOf(settlement), settlement);
  }

  async function onBlock(block: FollowedBlock, view: ChainView): Promise<Map<Hex, Set<string>>> {
    const resolved = new Map<Hex, Set<string>>();
    for (const event of block.events) {
      const settlement = open.get(payerNonceKey(event.payer, event.nonce));
      if (!settlement) continue;
      deepening.set(settlement.id, { event, settlement });
      const ids = resolved.get(event.transaction) ?? new Set();
      resolved.set(event.transaction, ids.add(settlement.id));
    }
    const deepest = block.number - confirmations + 1;
    await conclude([...deepening.values()].filter(({ event }) => event.blockNumber <= deepest));
    if (block.isHead) {
      await endExpired(view);
      await finalize(view);
    }
    return resolved;
  }

  async function conclude(found: readonly Found[]): Promise<void> {
    const confirmed: Confirmation[] = [];
    const failed: Failure[] = [];
    for (const { event, settlement } of await agreed(found)) {
      const { id } = settlement;
      if (isOurTransfer(event, settlement)) {
        confirmed.push({ id, mined: await minedOf(event, settlement) });
      } else failed.push(failureOf(event, settlement));
    }
    if (confirmed.length > 0) finish(await store.recordConfirmed(confirmed, clock.nowMs()));
    if (failed.length > 0) finish(await store.recordFailed(failed, clock.nowMs()));
  }

  async function minedOf(event: AuthorizationEvent, settlement: Settlement): Promise<Mined> {
    const { transaction, blockNumber, blockHash, logIndex } = event;
    // An earlier transaction at a replaced nonce is ours as well.
    const isOurs =
      transaction === settlement.transaction || (await store.isRelayerTransaction(transaction));
    const settledBy = isOurs ? "relayer" : "other";
    return { transaction, blockNumber, blockHash, logIndex, settledBy };
  }

  /** What a second endpoint does not deny; the rest is looked at again with the next block. */
  async function agreed(found: readonly Found[]): Promise<Found[]> {
    const blocks = Map.groupBy(found, ({ event }) => event.blockHash);
    const lists = await Promise.all(
      [...blocks].map(async ([blockHash, inBlock]) => {
        const events = inBlock.map(({ event }) => event);
        const head = Math.max(...events.map(({ blockNumber }) => blockNumber));
        const isSeen = await areEventsSeenElsewhere(chain, blockHash, events, head);
        if (isSeen !== false) return inBlock;
        log.error({ chainId, blockHash, settlements: inBlock.length }, "RPC endpoints disagree");
        return [];
      }),
    );
    return lists.flat();
  }

  function finish(moved: readonly Settlement[]): void {
    for (const settlement of moved) {
      track(settlement);
      const { id, state, payer, transaction, settledBy, failure, blockNumber } = settlement;
      const ms = clock.nowMs() - settlement.createdAt;
      log.info(
        { chainId, settlementId: id, payer, transaction, settledBy, failure, ms },
        `Settlement ${state}`,
      );
      deps.onSettled([id]);
      if (state === "confirmed") unfinalizedUpTo = Math.max(unfinalizedUpTo, blockNumber ?? 0);
    }
    waiters.notify(moved);
  }

  async function finalize(view: ChainView): Promise<void> {
    if (unfinalizedUpTo === 0) return;
    const final = await store.recordFinalized(chainId, view.finalized.number, clock.nowMs());
    waiters.notify(final);
    if (view.finalized.number >= unfinalizedUpTo) unfinalizedUpTo = 0;
  }

  /**
   * Ends what no block can carry any more: the time of a final block has passed validBefore, and
   * the token calls the nonce unused. Whether it was sent makes no difference then.
   */
  async function endExpired(view: ChainView): Promise<void> {
    for (const settlement of open.values()) {
      const isOver = view.finalized.time >= settlement.validBefore;
      if (!isOver || deepening.has(settlement.id)) continue;
      try {
        const now = await deps.simulate(settlement);
        await endUnsent(settlement, now?.code === "nonce_already_used" ? now : expired);
      } catch (error) {
        // Looked at again with the next block; the others go on.
        const fields = { chainId, settlementId: settlement.id, problem: messageOf(error) };
        log.warn(fields, "Could not end an expired settlement");
      }
    }
  }

  async function endUnsent(settlement: Settlement, why: Refusal): Promise<void> {
    // "Used" may well be our payer's payment, submitted by somebody else: look before saying no.
    const event = await findEvent(settlement);
    if (event) return conclude([{ event, settlement }]);
    if (why.code === "nonce_already_used") throw logsLag();
    await checkUnused(settlement);
    const { id } = settlement;
    const { code, message } = why;
    finish(await store.recordFailed([{ id, code, message, transaction: null }], clock.nowMs()));
  }

  /** "Failed" is final: where a second endpoint can be asked, it has to call the nonce unused. */
  async function checkUnused(settlement: Settlement): Promise<void> {
    const head = deps.headNumber();
    if ((await isUnusedElsewhere(chain, settlement, head)) === false) throw logsLag();
  }

  function findEvent(settlement: Settlement): Promise<AuthorizationEvent | undefined> {
    return findAuthorizationEvent(chain, {
      payer: settlement.payer,
      nonce: settlement.nonce,
      fromBlock: Math.max(0, settlement.seenUnusedAt - searchSlackBlocks),
      headNumber: deps.headNumber(),
    });
  }

  async function onMinedWithoutLog({
    transaction,
    hash,
    succeeded,
    unresolved,
  }: MinedTransaction): Promise<void> {
    for (const id of unresolved) {
      const settlement = await store.findSettlement(id);
      if (!settlement || isSettled(settlement)) continue;
      const event = await findEvent(settlement);
      if (event) {
        await conclude([{ event, settlement }]);
        continue;
      }
      // What the token says to the same transfer now, if it says no.
      const why = await deps.simulate(settlement);
      if (why?.code === "nonce_already_used") throw logsLag();
      await checkUnused(settlement);
      // A batch succeeds as a transaction though some of its calls fail.
      const isAlone = transaction.settlementIds.length === 1;
      const { code, message } =
        succeeded && isAlone
          ? refusal("transfer_not_found")
          : (why ?? refusal("transaction_reverted"));
      finish(await store.recordFailed([{ id, code, message, transaction: hash }], clock.nowMs()));
    }
  }

  async function catchUp(): Promise<Vanished> {
    const stored = await store.listOpenSettlements(chainId);
    for (const settlement of stored) track(settlement);
    for (const settlement of stored) {
      try {
        const event = await findEvent(settlement);
        if (event) await conclude([{ event, settlement }]);
      } catch (error) {
        log.warn(
          { chainId, settlementId: settlement.id, problem: messageOf(error) },
          "Could not look up a settlement",
        );
      }
    }
    return findVanished();
  }

  /** Confirmed before this start, and no longer in the chain. */
  async function findVanished(): Promise<Vanished> {
    const unfinalized = await store.listUnfinalized(chainId);
    for (const { blockNumber, blockHash } of unfinalized) {
      if (blockNumber === null) continue;
      if ((await readBlockHash(chain, blockNumber)) === blockHash) {
        unfinalizedUpTo = Math.max(unfinalizedUpTo, blockNumber);
      } else return onReorganisation(blockNumber);
    }
    return { transactions: [], orphans: [] };
  }

  async function onReorganisation(fromBlock: number): Promise<Vanished> {
    for (const [id, { event }] of deepening) {
      if (event.blockNumber >= fromBlock) deepening.delete(id);
    }
    const put = await store.recordReorganised(chainId, fromBlock);
    for (const settlement of put) track(settlement);
    waiters.notify(put);
    for (const { id, transaction } of put) {
      log.warn({ chainId, settlementId: id, transaction }, "Settlement reorganised away");
    }
    return sortVanished(put);
  }

  async function sortVanished(put: readonly Settlement[]): Promise<Vanished> {
    const transactions = new Set<Hex>();
    const orphans: string[] = [];
    for (const { id, transaction } of put) {
      const isOurs = transaction !== null && (await store.isRelayerTransaction(transaction));
      if (isOurs) transactions.add(transaction);
      else orphans.push(id);
    }
    return { transactions: [...transactions], orphans };
  }

  return {
    track,
    openIds: () => new Set([...open.values()].map(({ id }) => id)),
    interest: () => (open.size > 0 ? "outcome" : unfinalizedUpTo > 0 ? "finality" : "none"),
    onBlock,
    onReorganisation,
    onMinedWithoutLog,
    async onNeverMined(settlementIds) {
      const put = await store.requeueSettlements(settlementIds);
      for (const settlement of put) track(settlement);
      waiters.notify(put);
      return put;
    },
    onRefused: endUnsent,
    catchUp,
  };
}

const expired = refusal(
  "authorization_expired",
  "The authorization expired before it was mined; sign a new one.",
);

/** The nonce is used and no log tells how: unknown, and unknown is never called failed. */
function logsLag(): Fault {
  return new Fault("rpc_unavailable", "The node calls an authorization used and has no log of it");
}

function keyOf(settlement: Settlement): string {
  return payerNonceKey(settlement.payer, settlement.nonce);
}

/** The transfer that was authorized, whoever submitted it. */
function isOurTransfer({ kind, transfer }: AuthorizationEvent, settlement: Settlement): boolean {
  return (
    kind === "used" &&
    transfer !== undefined &&
    isSameAddress(transfer.from, settlement.payer) &&
    isSameAddress(transfer.to, settlement.payTo) &&
    transfer.value === settlement.amount
  );
}

/** The nonce is gone and our transfer did not happen: canceled, or used for another transfer. */
function failureOf(event: AuthorizationEvent, settlement: Settlement): Failure {
  const { id, chainId } = settlement;
  const { transaction } = event;
  const link = explorerLink(networkOfChain(chainId), transaction);
  return event.kind === "canceled"
    ? {
        id,
        transaction,
        code: "authorization_canceled",
        message: `The payer canceled this authorization, see ${link}; sign a new one.`,
      }
    : {
        id,
        transaction,
        code: "nonce_already_used",
        message: `The payer used this nonce for another transfer, see ${link}; sign a new authorization.`,
      };
}
