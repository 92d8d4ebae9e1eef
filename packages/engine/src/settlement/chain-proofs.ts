/** Chain proofs: what the token's logs prove about settlements, and whether endpoints agree. */
import { isSameAddress, type Address, type Hex } from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import { warning, type Log } from "../base/log.ts";
import { compareEvents } from "../chain/logs/authorization-logs.ts";
import type { AuthorizationEvent } from "../chain/contracts/authorization-events.ts";
import { createAuthorizationStates } from "../chain/reads/authorization-states.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { createForwardSearch } from "../chain/logs/forward-search.ts";
import { readReceipts, readSender } from "../chain/reads/reads.ts";
import { payerNonceKey, type Mined, type Settlement } from "../model/settlement.ts";
import type { Failure, EngineStore } from "../storage/engine-store.ts";

/** A settlement and the event that ends it. */
export interface Proof {
  readonly event: AuthorizationEvent;
  readonly settlement: Settlement;
}

/** What decides the meaning of a proof. */
export interface ProofFacts {
  readonly event: Pick<AuthorizationEvent, "kind" | "transfer" | "blockNumber">;
  readonly settlement: Pick<Settlement, "payer" | "payTo" | "amount">;
}

export interface ProofSearch {
  /** Settlements whose authorizations are used or canceled, each with its event. */
  readonly found: readonly Proof[];
  /** Authorizations that every reachable endpoint reports as unused. */
  readonly unused: readonly Settlement[];
  /** Used authorizations without a log so far. Their outcome is unknown, so they never fail. */
  readonly unexplained: readonly Settlement[];
}

/**
 * A payment this many blocks below the head, 10 s, is confirmed by one endpoint when another one
 * that is not down gives no logs of its block: public nodes refuse them, or limit how much is asked.
 */
const aloneFromDepth = 5;

/** Reads proofs from one network. All methods throw RPC faults. */
export type ChainProofs = ReturnType<typeof createChainProofs>;

/** What decides settlements by proofs. */
export interface ProofDeps {
  readonly proofs: Pick<ChainProofs, "find">;
  headNumber(): number;
  conclude(found: readonly Proof[]): Promise<void>;
  fail(failures: readonly Failure[], settlements: readonly Settlement[]): Promise<void>;
}

interface ChainProofsDeps {
  chain: Chain;
  store: Pick<EngineStore, "isRelayerTransaction" | "listSignedHashes" | "reopenTransactions">;
  log: Log;
  /** The wallets of the configuration, and those that were taken out of it. */
  wallets: readonly Address[];
  headNumber(): number;
}

export function createChainProofs(deps: ChainProofsDeps) {
  const { chain, store, log } = deps;
  const { chainId } = chain.network;
  const areUsedAt = createAuthorizationStates(chain);
  const search = createForwardSearch(chain);

  /** Reads the receipts of signed transactions first: a few requests, however old they are. */
  async function findUses(used: readonly Settlement[], atBlock: number) {
    const hashes = await store.listSignedHashes(used.map(({ id }) => id));
    const receipts = await readReceipts(chain, hashes);
    const events = new Map(
      receipts
        .flatMap((receipt) => receipt?.events ?? [])
        .map((event) => [payerNonceKey(event), event]),
    );
    const others = used.filter((settlement) => !events.has(payerNonceKey(settlement)));
    for (const [key, event] of await findOthers(others, atBlock)) events.set(key, event);
    return events;
  }

  /** Searches the logs. A failed search must not discard what the receipts have proven. */
  async function findOthers(others: readonly Settlement[], atBlock: number) {
    const fields = { event: "search_failed", chainId, settlements: others.length };
    const message = "Search for authorizations failed; retrying with a later block";
    return (await search(others, atBlock).catch(warning(log, fields, message))) ?? [];
  }

  return {
    /** Searches as of a block. A node without that block fails: it would report uses as unused. */
    async find(settlements: readonly Settlement[], atBlock: number): Promise<ProofSearch> {
      const areUsed = await areUsedAt(settlements, atBlock);
      const used = settlements.filter((_, index) => areUsed[index]);
      const events = used.length > 0 ? await findUses(used, atBlock) : new Map<string, never>();
      const found = used.flatMap((settlement): Proof[] => {
        const event = events.get(payerNonceKey(settlement));
        return event ? [{ event, settlement }] : [];
      });
      // Another transaction of their nonce was mined in a block that is gone, and they were dropped.
      const shown = [...new Set(found.map(({ event }) => event.transaction))];
      if (shown.length > 0) await store.reopenTransactions(chainId, { shown });
      return {
        found,
        unused: settlements.filter((_, index) => !areUsed[index]),
        unexplained: used.filter((settlement) => !events.has(payerNonceKey(settlement))),
      };
    },
    /** Returns the proofs that two endpoints show; the others are tried again with a later block. */
    async confirmByQuorum(proofs: readonly Proof[]) {
      const blocks = Map.groupBy(proofs, ({ event }) => event.blockHash);
      const lists = await Promise.all(
        [...blocks].map(async ([blockHash, inBlock]) =>
          (await isConfirmed(deps, blockHash, inBlock)) ? inBlock : [],
        ),
      );
      return lists.flat();
    },
    /** Returns the outcome of a transfer by the relayer or by a third party. */
    async minedOf(
      { transaction, blockNumber, blockHash, logIndex }: AuthorizationEvent,
      settlement: Settlement,
    ): Promise<Mined> {
      // An earlier transaction at a replaced nonce is the relayer's as well.
      const isOurs =
        transaction === settlement.transaction ||
        // Only what a relayer wallet has sent is recovered.
        settlement.recoveredAt !== null ||
        (await store.isRelayerTransaction(transaction)) ||
        (await isOfWallet(deps, transaction));
      const settledBy = isOurs ? "relayer" : "other";
      return { transaction, blockNumber, blockHash, logIndex, settledBy };
    },
  };
}

/** Whether a second endpoint shows the events of a block, or enough blocks follow where none answers. */
async function isConfirmed(
  { chain, log, headNumber }: ChainProofsDeps,
  blockHash: Hex,
  proofs: readonly Proof[],
): Promise<boolean> {
  const events = proofs.map(({ event }) => event);
  const fields = { chainId: chain.network.chainId, blockHash, settlements: proofs.length };
  const failed = { event: "quorum_failed", ...fields };
  const agreement = await compareEvents(chain, blockHash, events).catch(
    warning(log, failed, "Second look at a block failed; retrying with the next block"),
  );
  if (agreement === "denied") {
    log.error({ event: "rpc_endpoints_disagree", ...fields }, "RPC endpoints disagree");
  }
  if (agreement !== "unanswered") return agreement === "agreed" || agreement === "alone";
  const depth = headNumber() - Math.max(...events.map(({ blockNumber }) => blockNumber));
  return depth >= aloneFromDepth;
}

/** Looks at its sender: the database may have lost the transaction and kept the settlement. */
async function isOfWallet({ chain, wallets }: ChainProofsDeps, transaction: Hex): Promise<boolean> {
  const sender = await readSender(chain, transaction);
  if (sender === undefined) {
    throw new Fault("rpc_unavailable", "The node lacks a transaction whose log it has shown");
  }
  return wallets.some((wallet) => isSameAddress(wallet, sender));
}

/** Whether an event is the authorized transfer, by any sender. */
export function isAuthorizedTransfer({ event, settlement }: ProofFacts): boolean {
  const { kind, transfer } = event;
  return (
    kind === "used" &&
    transfer !== undefined &&
    isSameAddress(transfer.from, settlement.payer) &&
    isSameAddress(transfer.to, settlement.payTo) &&
    transfer.value === settlement.amount
  );
}

/** A transfer proves success once it is confirmed; anything else proves failure only when final. */
export function isConclusive(proof: ProofFacts, finalizedNumber: number): boolean {
  return isAuthorizedTransfer(proof) || proof.event.blockNumber <= finalizedNumber;
}

/** A failed settlement changes only when the money moved after all. */
export function changesOutcome(proof: Proof): boolean {
  return proof.settlement.state !== "failed" || isAuthorizedTransfer(proof);
}

/** The failure of a settlement whose nonce was canceled or used for another transfer. */
export function failureOf({ event, settlement }: Proof): Failure {
  const { id } = settlement;
  const authorization = authorizationOf(settlement);
  if (event.kind === "canceled") {
    const message = `The payer canceled this authorization in transaction ${event.transaction}; sign a new one.`;
    // Only the message names the cancellation, since that transaction carries no payment.
    const { transaction } = settlement;
    return { id, transaction, code: "authorization_canceled", message, authorization };
  }
  const message = `The payer used this nonce for another transfer, transaction ${event.transaction}; sign a new authorization.`;
  const { transaction } = event;
  return { id, transaction, code: "nonce_already_used", message, authorization };
}

/** What a failure was found for. */
export function authorizationOf({ amount, validBefore }: Settlement) {
  return { amount, validBefore };
}
