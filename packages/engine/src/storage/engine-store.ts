/**
 * The engine's store. Each method is atomic and includes the participants' part of each transition;
 * a transition that is not allowed from the present state changes nothing. Times are milliseconds
 * since 1970. Every method throws the fault `storage_unavailable` when the database fails.
 */
import type { Address, ChainId, Hex, RefusalCode } from "@farthing/protocol";
import type {
  WalletLease,
  RelayerTransaction,
  TransactionPlan,
  TransactionName,
  TransactionState,
} from "../model/relayer-transaction.ts";
import type { PayerPause } from "../model/payer-pause.ts";
import type { Claim, Mined, AuthorizationKey, Settlement } from "../model/settlement.ts";
import type { ChangeListener } from "./changes.ts";
import type { StoredRefund } from "../model/refund.ts";
import type { ClaimRefusal } from "./participant.ts";
import type { RetentionMethods } from "./retention.ts";
import type { RevertedGasMethods } from "./reverted-gas.ts";

export type ClaimResult =
  | { readonly kind: "created"; readonly settlement: Settlement }
  /** The authorization was claimed before. */
  | { readonly kind: "existing"; readonly settlement: Settlement }
  | { readonly kind: "refused"; readonly reason: ClaimRefusal };

export type BindResult =
  /** The settlement belongs to the caller from now on. */
  | { readonly kind: "bound"; readonly settlement: Settlement }
  /** It belonged to a caller before. */
  | { readonly kind: "existing" }
  | { readonly kind: "refused"; readonly reason: ClaimRefusal };

/** A relayer wallet's nonces as the store has them. */
export interface StoredNonces {
  readonly wallet: Address;
  readonly nextNonce: number;
  /** When its newest transaction was planned, in milliseconds; null where none is stored. */
  readonly newestAt: number | null;
}

export interface Confirmation {
  readonly id: string;
  readonly mined: Mined;
}

/** The reason why the money did not and will not move. */
export interface Failure {
  readonly id: string;
  readonly code: RefusalCode;
  readonly message: string;
  readonly transaction: Hex | null;
  /** Only while it is unassigned: another process may have given it a nonce meanwhile. */
  readonly onlyUnassigned?: boolean;
  /** Only while it has this authorization: a failed refund may have been signed again meanwhile. */
  readonly authorization?: Pick<Settlement, "amount" | "validBefore">;
  /** The payer's contract wallet caused the failure, and its payments are paused. */
  readonly pausesPayer?: boolean;
}

/** The process that holds a relayer wallet. */
export interface WalletHolder {
  readonly owner: string | null;
  readonly isRunning: boolean;
  /** The process that is to have it next. */
  readonly wantedBy: string | null;
  /** It only ever rises, unless the database has lost commits. */
  readonly nextNonce: number;
}

/** A wallet whose transactions carry open settlements. */
export interface CarryingWallet {
  readonly wallet: Address;
  readonly settlements: number;
  /** When the oldest of them was claimed, in milliseconds. */
  readonly oldestAt: number;
  readonly holder: Omit<WalletHolder, "nextNonce">;
}

export type UsedNonces =
  /** In a block from this one on. */
  | { readonly fromBlock: number }
  /** By a transaction that carries one of these settlements without an outcome. */
  | { readonly settlementIds: readonly string[] }
  /** By one of these, which a block contains although they were dropped. */
  | { readonly shown: readonly Hex[] }
  /** By this wallet, from this nonce on, in a block up to this one. */
  | { readonly lane: Address; readonly fromNonce: number; readonly upToBlock: number };

/** Queued settlements that no transaction carries: named ones, or those of a chain. */
export type UnassignedQuery =
  | { readonly ids: readonly string[] }
  | {
      readonly chainId: ChainId;
      /** Created before this time. */
      readonly olderThan: number;
      readonly limit: number;
      /** Created at this time or later: the end of an earlier list. */
      readonly from?: number;
      /** Of callers with an API key or without; of both when absent. */
      readonly isKeyed?: boolean;
    };

export interface EngineStore extends RetentionMethods, RevertedGasMethods {
  /** Claims verified payments in one transaction; results in the order of the claims. */
  claimSettlements(claims: readonly Claim[], now: number): Promise<ClaimResult[]>;
  /**
   * Gives a recovered settlement, named by the claim's id, to its first caller; an account gets it as
   * if it had claimed it now.
   */
  bindClaim(claim: Claim, now: number): Promise<BindResult>;
  findSettlement(id: string): Promise<Settlement | undefined>;
  /** One entry per key, in order. */
  findSettlementsByKey(keys: readonly AuthorizationKey[]): Promise<(Settlement | undefined)[]>;
  /** The nonces of a payer's settlements, in no order. */
  listNonces(payer: Omit<AuthorizationKey, "nonce">, limit: number): Promise<Hex[]>;
  /** The refunds of payments, grouped by payment and in the order of their ordinals. */
  listRefunds(settlementIds: readonly string[]): Promise<StoredRefund[]>;
  /** Queued and submitted settlements of a chain, oldest first. */
  listOpenSettlements(chainId: ChainId): Promise<Settlement[]>;
  /** Queued settlements that no transaction carries, oldest first. */
  listUnassigned(query: UnassignedQuery): Promise<Settlement[]>;
  /** Returns the settlements that were not confirmed already. */
  recordConfirmed(confirmations: readonly Confirmation[], now: number): Promise<Settlement[]>;
  /** One entry per payer, in order; undefined for a payer without reverts. */
  findPayerPauses(
    chainId: ChainId,
    payers: readonly Address[],
  ): Promise<(PayerPause | undefined)[]>;
  /** Returns those of these settlements that two or more reverted transactions carried. */
  findRevertedTwice(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Marks settlements failed, and pauses payers; returns the settlements that changed. */
  recordFailed(failures: readonly Failure[], now: number): Promise<Settlement[]>;
  /**
   * Reverts confirmed settlements of blocks that were reorganised out to submitted; returns them.
   * `hashes` limits this to these blocks: another process may have recorded their successors.
   */
  recordReorganised(
    chainId: ChainId,
    fromBlock: number,
    now: number,
    hashes?: readonly Hex[],
  ): Promise<Settlement[]>;
  /** Marks confirmed settlements up to a final block; returns those that were not final already. */
  recordFinalized(chainId: ChainId, upToBlock: number, now: number): Promise<Settlement[]>;

  /**
   * Notifies other processes: `sent`, a node has these settlements' transactions; `unserved`, a
   * process without a wallet claimed them. Every method that creates or changes settlements
   * notifies by itself.
   */
  notify(kind: "sent" | "unserved", ids: readonly string[]): Promise<void>;
  /**
   * Calls the listener with changes by other processes; without ids when notifications may have
   * been lost. Returns a stop function. A SQLite file has no notifications.
   */
  onChange(listener: ChangeListener): () => void;

  /**
   * Takes the next nonces for planned transactions, in order, and assigns their settlements. Skips
   * a plan when one of its settlements is not queued or is assigned. Throws the fault `lease_lost`
   * when another process has the wallet.
   */
  reserveTransactions(
    lease: WalletLease,
    plans: readonly TransactionPlan[],
    now: number,
  ): Promise<RelayerTransaction[]>;
  /** Stores signed bytes before they are sent; returns their settlements. Throws `lease_lost`. */
  recordSigned(
    lease: WalletLease,
    signed: readonly { readonly id: number; readonly raw: Hex; readonly hash: Hex }[],
    now: number,
  ): Promise<Settlement[]>;
  /**
   * Drops transactions that could not be signed, and releases their settlements: no node has seen
   * them. A transaction without queued settlements stays and is signed later. Throws `lease_lost`.
   */
  releaseUnsigned(lease: WalletLease, ids: readonly number[], now: number): Promise<void>;
  /**
   * Drops transactions without bytes that were signed into the bytes of another one: with the same
   * nonce, call and price they are the same. Their settlements stay with that one, which is open again
   * where no transaction is mined at the nonce. Returns how many were dropped. Throws `lease_lost`.
   */
  dropRepeats(
    lease: WalletLease,
    signed: readonly { readonly id: number; readonly hash: Hex }[],
    now: number,
  ): Promise<number>;
  recordSent(transactions: readonly TransactionName[], now: number): Promise<void>;
  /**
   * Whether a node has accepted the transaction with this hash that carries the settlement, or a block has
   * had it.
   */
  isTransactionSent(settlementId: string, hash: Hex): Promise<boolean>;
  /**
   * Ends a nonce: its transaction is mined in a block, and all others that were signed at it are
   * dropped, in one commit.
   */
  closeNonce(mined: TransactionName, blockNumber: number): Promise<void>;
  /**
   * Drops open transactions of a wallet at nonces at which another one is stored as mined. A payment that
   * is still queued is free for another nonce.
   */
  dropClosed(wallet: Pick<WalletLease, "chainId" | "lane">): Promise<void>;
  /** Ends transactions: mined in a block, or dropped because another one took their nonce. */
  closeTransactions(
    transactions: readonly TransactionName[],
    state: Extract<TransactionState, "mined" | "dropped">,
    blockNumber?: number,
  ): Promise<void>;
  /**
   * Reopens nonces that were used in blocks which were, or may have been, reorganised out. Drops
   * transactions whose signed bytes were removed.
   */
  reopenTransactions(chainId: ChainId, which: UsedNonces): Promise<void>;
  /** The nonce after the highest one that is known to be used; 0 when none is. */
  countMinedNonces(chainId: ChainId, lane: Address): Promise<number>;
  /** Transactions that may still be mined, by nonce: at none of their nonces is one stored as mined. */
  listOpenTransactions(chainId: ChainId, lane: Address): Promise<RelayerTransaction[]>;

  /**
   * Records another transaction at a pending nonce: the same call at a better price, or a
   * cancellation. It receives the settlements; the earlier transaction stays observed. Undefined when
   * one was mined at the nonce meanwhile. Throws `lease_lost`.
   */
  replaceTransaction(
    lease: WalletLease,
    nonce: number,
    plan: TransactionPlan,
    now: number,
  ): Promise<RelayerTransaction | undefined>;
  /**
   * Requeues submitted settlements without an open transaction: theirs can never be mined, because
   * another one finally took the nonce. One that is stored as mined above the newest final block is open
   * as well, since that block may be gone. Returns the changed settlements.
   */
  requeueSettlements(
    ids: readonly string[],
    now: number,
    finalizedNumber: number,
  ): Promise<Settlement[]>;
  /** The wallets whose transactions carry open settlements, in any process's configuration. */
  listCarryingWallets(chainId: ChainId, now: number): Promise<CarryingWallet[]>;
  /** Hashes of all transactions that were ever signed for these settlements. */
  listSignedHashes(ids: readonly string[]): Promise<Hex[]>;
  /** Returns whether a relayer wallet signed a transaction, including replaced ones. */
  isRelayerTransaction(hash: Hex): Promise<boolean>;
  /**
   * Failed settlements that a third party may still submit and whose check is due, longest due
   * first. Each check defers the next; one of several processes gets each.
   */
  takeFailuresToLookAt(chainId: ChainId, limit: number, now: number): Promise<Settlement[]>;
  /** Ends the watches of authorizations that can no longer be submitted. */
  endFailureWatches(over: readonly Pick<Settlement, "id" | "validBefore">[]): Promise<void>;
  /** Watches settlements that failed since a time and have not expired. */
  watchFailedSince(chainId: ChainId, since: number, now: number): Promise<void>;
  /** The blocks of confirmed settlements that are not final yet, lowest first. */
  listUnfinalizedBlocks(chainId: ChainId): Promise<{ number: number; hash: Hex }[]>;
}

export interface WalletLeaseStore {
  /** Registers an owner of leases as connected for the life of this process. */
  registerOwner(owner: string): Promise<void>;
  /** Shortens leases of disconnected owners; does nothing where all run on one machine. */
  shortenLostLeases(
    chainId: ChainId,
    times: { readonly toMs: number; readonly now: number },
  ): Promise<void>;
  /** One entry per wallet, in order; undefined for a wallet that was never held. */
  findWalletHolders(
    chainId: ChainId,
    lanes: readonly Address[],
    now: number,
  ): Promise<(WalletHolder | undefined)[]>;
  /**
   * Acquires or renews a wallet's lease; undefined when another holder's still runs. Each
   * acquisition raises the fencing token. The lease of `stoppedOwner` may be taken before its end. The
   * next nonce only ever rises. Leases run by the clock that all holders share: `now` counts where
   * that is this machine's.
   */
  takeWalletLease(options: {
    chainId: ChainId;
    lane: Address;
    owner: string;
    stoppedOwner?: string | undefined;
    nonceFloor: number;
    leaseMs: number;
    now: number;
  }): Promise<WalletLease | undefined>;
  /** Extends a lease; false when another process has it. */
  renewWalletLease(
    lease: WalletLease,
    owner: string,
    times: { readonly leaseMs: number; readonly now: number },
  ): Promise<boolean>;
  /** The nonces of every wallet that was ever held. */
  listNextNonces(chainId: ChainId): Promise<StoredNonces[]>;
  /** Raises next nonces that are lower: the chain has used those before, and they were looked at. */
  raiseNextNonces(
    chainId: ChainId,
    used: readonly Pick<StoredNonces, "wallet" | "nextNonce">[],
  ): Promise<void>;
  /**
   * Whether this process searches a chain for what the store has lost, until it releases that or ends;
   * false while another process does. Always true where all processes run on one machine.
   */
  holdSearch(chainId: ChainId): Promise<boolean>;
  releaseSearch(chainId: ChainId): Promise<void>;
  /** Requests a wallet from its holder; the first process that asks gets it. */
  askForWallet(
    chainId: ChainId,
    lane: Address,
    processes: { readonly holder: string; readonly owner: string },
  ): Promise<void>;
  /**
   * Hands a wallet with a running lease to the process that requested it; the former holder can no
   * longer write. False when the lease was lost or the request was withdrawn.
   */
  handOverWallet(
    lease: WalletLease,
    owner: string,
    terms: { readonly to: string; readonly leaseMs: number; readonly now: number },
  ): Promise<boolean>;
  /** Releases all wallets of a process on a chain, and withdraws its requests. */
  releaseWallets(chainId: ChainId, owner: string): Promise<void>;
}
