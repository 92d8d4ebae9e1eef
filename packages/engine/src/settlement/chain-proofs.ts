/**
 * What the chain's logs prove about one settlement, and whether a second endpoint agrees. Nothing
 * here decides; it finds out.
 */
import {
  explorerLink,
  isSameAddress,
  networkOfChain,
  refusal,
  type Refusal,
  type RefusalCode,
} from "@farthing/protocol";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { areEventsSeenElsewhere, type AuthorizationEvent } from "../chain/authorization-logs.ts";
import { createAuthorizationStates } from "../chain/authorization-states.ts";
import type { Chain } from "../chain/chain.ts";
import { createForwardSearch } from "../chain/forward-search.ts";
import { readReceipts } from "../chain/reads.ts";
import { payerNonceKey, type Mined, type Settlement } from "../model/settlement.ts";
import type { MinedTransaction } from "../relayer/used-nonces.ts";
import type { Failure, EngineStore } from "../storage/engine-store.ts";

/** A settlement and the event that ends it. */
export interface Found {
  readonly event: AuthorizationEvent;
  readonly settlement: Settlement;
}

/** What the chain says about settlements at a block. */
export interface Findings {
  /** Their authorizations are used or canceled, and this is how. */
  readonly found: readonly Found[];
  /** Their authorizations are unused, by all endpoints that could be asked. */
  readonly unused: readonly Settlement[];
  /** Used, and no log tells how yet: unknown, and unknown is never called failed. */
  readonly untold: readonly Settlement[];
}

/** Questions to the chain about settlements. All throw RPC faults. */
export interface Evidence {
  /**
   * Looks settlements up as of a block. A node that lacks that block fails, since it would call
   * unused what was used in a block it does not have.
   */
  lookUp(settlements: readonly Settlement[], atBlock: number): Promise<Findings>;
  /** What a second endpoint does not deny. */
  agreed(found: readonly Found[]): Promise<Found[]>;
  /** The outcome of a transfer that was ours or somebody else's. */
  minedBy(event: AuthorizationEvent, settlement: Settlement): Promise<Mined>;
}

/** Creates the questions of a network. */
export function createEvidence(deps: {
  chain: Chain;
  store: Pick<EngineStore, "isRelayerTransaction" | "listSignedHashes">;
  log: Log;
}): Evidence {
  const { chain, store, log } = deps;
  const { chainId } = chain.network;
  const states = createAuthorizationStates(chain);
  const search = createForwardSearch(chain);

  /** First in the receipts of what we signed: a few calls, however long ago it was. */
  async function findUses(used: readonly Settlement[], atBlock: number) {
    const hashes = await store.listSignedHashes(used.map(({ id }) => id));
    const receipts = await readReceipts(chain, hashes);
    const events = new Map(
      receipts.flatMap((receipt) => receipt?.events ?? []).map((event) => [keyOf(event), event]),
    );
    const others = used.filter((settlement) => !events.has(keyOf(settlement)));
    for (const [key, event] of await findOthers(others, atBlock)) events.set(key, event);
    return events;
  }

  /** A search that fails says nothing about those beside the one that it failed for. */
  async function findOthers(others: readonly Settlement[], atBlock: number) {
    try {
      return await search.find(others, atBlock);
    } catch (error) {
      log.warn(
        { event: "search_failed", chainId, settlements: others.length, problem: messageOf(error) },
        "Search for authorizations failed; retrying with a later block",
      );
      return new Map<string, never>();
    }
  }

  return {
    async lookUp(settlements, atBlock) {
      const areUsed = await states.areUsed(settlements, atBlock);
      const used = settlements.filter((_, index) => areUsed[index]);
      const events = used.length > 0 ? await findUses(used, atBlock) : new Map<string, never>();
      const found = used.flatMap((settlement): Found[] => {
        const event = events.get(keyOf(settlement));
        return event ? [{ event, settlement }] : [];
      });
      return {
        found,
        unused: settlements.filter((_, index) => !areUsed[index]),
        untold: used.filter((settlement) => !events.has(keyOf(settlement))),
      };
    },
    async agreed(found) {
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
    },
    async minedBy({ transaction, blockNumber, blockHash, logIndex }, settlement) {
      // An earlier transaction at a replaced nonce is ours as well.
      const isOurs =
        transaction === settlement.transaction || (await store.isRelayerTransaction(transaction));
      const settledBy = isOurs ? "relayer" : "other";
      return { transaction, blockNumber, blockHash, logIndex, settledBy };
    },
  };
}

function keyOf({ payer, nonce }: Pick<Settlement, "payer" | "nonce">): string {
  return payerNonceKey(payer, nonce);
}

/** Tells whether an event is the transfer that was authorized, whoever submitted it. */
export function isAuthorizedTransfer(
  { kind, transfer }: AuthorizationEvent,
  settlement: Settlement,
): boolean {
  return (
    kind === "used" &&
    transfer !== undefined &&
    isSameAddress(transfer.from, settlement.payer) &&
    isSameAddress(transfer.to, settlement.payTo) &&
    transfer.value === settlement.amount
  );
}

/** A transfer that is deep enough does; that there is none only in a final block: it has to last. */
export function counts({ event, settlement }: Found, finalizedNumber: number): boolean {
  return isAuthorizedTransfer(event, settlement) || event.blockNumber <= finalizedNumber;
}

/** A failure stays one unless the money moved after all. */
export function isNews(event: AuthorizationEvent, settlement: Settlement): boolean {
  return settlement.state !== "failed" || isAuthorizedTransfer(event, settlement);
}

/** The nonce is gone and our transfer did not happen: canceled, or used for another transfer. */
export function failureOf(event: AuthorizationEvent, settlement: Settlement): Failure {
  const { id, chainId } = settlement;
  const link = explorerLink(networkOfChain(chainId), event.transaction);
  if (event.kind === "canceled") {
    const message = `The payer canceled this authorization, see ${link}; sign a new one.`;
    // A cancellation carries no payment: the message names it, and nothing else.
    const { transaction } = settlement;
    return { id, transaction, code: "authorization_canceled", message };
  }
  const message = `The payer used this nonce for another transfer, see ${link}; sign a new authorization.`;
  const { transaction } = event;
  return { id, transaction, code: "nonce_already_used", message };
}

/** Whether a settlement is still with the nonce of a mined transaction, or with none. */
export function isCarriedBy({ state, transaction }: Settlement, mined: MinedTransaction): boolean {
  return state === "submitted" && (transaction === null || mined.hashes.includes(transaction));
}

/** Whether a transaction of several settlements reverted as a whole. */
export function isWholeBatch({ succeeded, transaction }: MinedTransaction): boolean {
  return !succeeded && transaction.settlementIds.length > 1;
}

/**
 * A settlement whose transaction is mined, final, and moved nothing: why, and whether its payer waits.
 * `found` is what stands in the way now.
 */
export function failureOfMined(
  { id, payerHasCode }: Settlement,
  { hash: transaction, succeeded, transaction: carrier }: MinedTransaction,
  found: Refusal | undefined,
): Failure {
  // A batch succeeds as a transaction though some of its calls fail.
  const isOdd = succeeded && carrier.settlementIds.length === 1;
  const { code, message } = isOdd
    ? refusal("transfer_not_found")
    : (found ?? refusal("transaction_reverted"));
  // The simulation passed just before it was sent: the wallet's own code made the difference.
  const pausesPayer = payerHasCode && !succeeded && !othersBlamed.has(code);
  return { id, code, message, transaction, pausesPayer };
}

/** Reasons of which a contract payer is not the cause. */
const othersBlamed: ReadonlySet<RefusalCode> = new Set(["token_paused", "payee_blocked"]);
