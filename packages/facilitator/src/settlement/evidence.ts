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
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import {
  areEventsSeenElsewhere,
  findAuthorizationEvent,
  isUnusedAt,
  type AuthorizationEvent,
} from "../chain/authorization-logs.ts";
import type { Chain } from "../chain/chain.ts";
import type { Mined, Settlement } from "../model/settlement.ts";
import type { MinedTransaction } from "../relayer/used-nonces.ts";
import type { Failure, Store } from "../storage/store.ts";

/**
 * Blocks before the one that saw the nonce unused from which a search begins: another endpoint
 * may have answered a few blocks behind.
 */
const searchSlackBlocks = 12;

/** A settlement and the event that ends it. */
export interface Found {
  readonly event: AuthorizationEvent;
  readonly settlement: Settlement;
}

/** Questions to the chain about settlements. All throw RPC faults. */
export interface Evidence {
  /** How its authorization ended, if it has. */
  find(settlement: Settlement): Promise<AuthorizationEvent | undefined>;
  /** What a second endpoint does not deny. */
  agreed(found: readonly Found[]): Promise<Found[]>;
  /**
   * "Failed" has to last: throws unless the nonce is unused at a block. That block is given, since
   * a node that lags would call unused what was used in a block it does not have.
   */
  checkUnused(settlement: Settlement, atBlock: number): Promise<void>;
  /** The outcome of a transfer that was ours or somebody else's. */
  minedBy(event: AuthorizationEvent, settlement: Settlement): Promise<Mined>;
}

/** Creates the questions of a network. */
export function createEvidence(deps: {
  chain: Chain;
  store: Pick<Store, "isRelayerTransaction">;
  log: Log;
  headNumber(): number;
}): Evidence {
  const { chain, store, log } = deps;
  const { chainId } = chain.network;
  return {
    find: (settlement) =>
      findAuthorizationEvent(chain, {
        payer: settlement.payer,
        nonce: settlement.nonce,
        fromBlock: Math.max(0, settlement.seenUnusedAt - searchSlackBlocks),
        headNumber: deps.headNumber(),
      }),
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
    async checkUnused(settlement, atBlock) {
      if (!(await isUnusedAt(chain, settlement, atBlock))) throw logsLag();
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

/** The nonce is used and no log tells how: unknown, and unknown is never called failed. */
function logsLag(): Fault {
  return new Fault("rpc_unavailable", "The node calls an authorization used and has no log of it");
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
