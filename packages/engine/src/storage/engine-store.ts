/**
 * The engine's store. Participants take part in each transition of a settlement, in its transaction. Each method is atomic: it happens whole or not at all, and a transition that is
 * not allowed from the present state changes nothing. Times are milliseconds since 1970.
 * Every method throws the fault `storage_unavailable` when the database fails.
 */
import type { Address, ChainId, Hex, RefusalCode } from "@farthing/protocol";
import type {
  WalletLease,
  RelayerTransaction,
  TransactionPlan,
  TransactionState,
} from "../model/relayer-transaction.ts";
import type { PayerPause } from "../model/payer-pause.ts";
import type { Claim, Mined, Pair, Settlement } from "../model/settlement.ts";
import type { ChangeListener } from "./changes.ts";
import type { ClaimRefusal } from "./participant.ts";
import type { RetentionMethods } from "./retention.ts";
import type { RevertedGasMethods } from "./reverted-gas.ts";

export type ClaimResult =
  | { readonly kind: "created"; readonly settlement: Settlement }
  /** The same authorization was claimed before; this is that settlement. */
  | { readonly kind: "existing"; readonly settlement: Settlement }
  | { readonly kind: "refused"; readonly reason: ClaimRefusal };

/** A settlement with its outcome. */
export interface Confirmation {
  readonly id: string;
  readonly mined: Mined;
}

/** A settlement with the reason why its money did not and will not move. */
export interface Failure {
  readonly id: string;
  readonly code: RefusalCode;
  readonly message: string;
  readonly transaction: Hex | null;
  /** Only while it is unassigned: another process may have given it a nonce meanwhile. */
  readonly onlyUnassigned?: boolean;
  /** The payer's contract wallet caused the failure; its payments are paused. */
  readonly pausesPayer?: boolean;
}

/** The process that holds a relayer wallet. */
export interface WalletHolder {
  readonly owner: string | null;
  readonly isRunning: boolean;
  /** The process that is to have it next. */
  readonly wantedBy: string | null;
}

/** A wallet whose transactions carry open settlements. */
export interface CarryingWallet {
  readonly wallet: Address;
  readonly settlements: number;
  /** When the oldest of them was claimed, in milliseconds. */
  readonly oldestAt: number;
  readonly holder: WalletHolder;
}

export type UsedNonces =
  /** In a block from this one on. */
  | { readonly fromBlock: number }
  /** By a transaction that carries one of these, as far as it has no outcome. */
  | { readonly settlementIds: readonly string[] }
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
      /** Created at this time or later: where an earlier list ended. */
      readonly from?: number;
      /** Of callers with an API key, or of those without; of both when left out. */
      readonly isKeyed?: boolean;
    };

/** Settlements and the relayer transactions that carry them. */
export interface EngineStore extends RetentionMethods, RevertedGasMethods {
  /** Claims verified payments, all in one transaction; results in the order of the claims. */
  claimSettlements(claims: readonly Claim[], now: number): Promise<ClaimResult[]>;
  findSettlement(id: string): Promise<Settlement | undefined>;
  /** One entry per pair, in order. */
  findSettlementsByPair(pairs: readonly Pair[]): Promise<(Settlement | undefined)[]>;
  /** Queued and submitted settlements of a chain, oldest first. */
  listOpenSettlements(chainId: ChainId): Promise<Settlement[]>;
  /** Queued settlements that no transaction carries, oldest first. */
  listUnassigned(query: UnassignedQuery): Promise<Settlement[]>;
  /** Marks settlements confirmed; returns those that were not already. */
  recordConfirmed(confirmations: readonly Confirmation[], now: number): Promise<Settlement[]>;
  /** One entry per payer, in order; undefined for a payer whose transactions do not revert. */
  findPayerPauses(
    chainId: ChainId,
    payers: readonly Address[],
  ): Promise<(PayerPause | undefined)[]>;
  /** Of these settlements, those that transactions which reverted have carried twice or more. */
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
  /** Marks confirmed settlements up to a final block; returns those that were not already. */
  recordFinalized(chainId: ChainId, upToBlock: number, now: number): Promise<Settlement[]>;

  /**
   * Notifies other processes on the same database: `sent`, a node has these settlements' transactions;
   * `unserved`, they were claimed by a process without a wallet. Every method that creates settlements
   * or changes their state notifies by itself.
   */
  notify(kind: "sent" | "unserved", ids: readonly string[]): Promise<void>;
  /**
   * Calls the listener with what other processes did, never with what this one did; without ids when
   * notifications may have been lost. Returns a stop function. A SQLite file has no notifications.
   */
  onChange(listener: ChangeListener): () => void;

  /**
   * Takes the next nonces for planned transactions, in order, and assigns their settlements. Skips a
   * plan when one of its settlements is not queued or is assigned. Throws the fault `lease_lost` when
   * another process has the wallet.
   */
  reserveTransactions(
    lease: WalletLease,
    plans: readonly TransactionPlan[],
    now: number,
  ): Promise<RelayerTransaction[]>;
  /**
   * Stores signed bytes before they are sent, and marks their settlements submitted; returns these.
   * Throws `lease_lost`.
   */
  recordSigned(
    lease: WalletLease,
    signed: readonly { readonly id: number; readonly raw: Hex; readonly hash: Hex }[],
    now: number,
  ): Promise<Settlement[]>;
  recordSent(ids: readonly number[], now: number): Promise<void>;
  /** Ends transactions: mined in a block, or dropped because another one took their nonce. */
  closeTransactions(
    ids: readonly number[],
    state: Extract<TransactionState, "mined" | "dropped">,
    blockNumber?: number,
  ): Promise<void>;
  /**
   * Reopens nonces that were used in blocks which were, or may have been, reorganised out. Drops
   * those of a wallet whose signed bytes were removed.
   */
  reopenTransactions(chainId: ChainId, which: UsedNonces): Promise<void>;
  /** The nonce after the highest one that is known to be used up; 0 when none is. */
  countMinedNonces(chainId: ChainId, lane: Address): Promise<number>;
  /** Transactions that may still be mined, by nonce. */
  listOpenTransactions(chainId: ChainId, lane: Address): Promise<RelayerTransaction[]>;

  /**
   * Records another transaction at a pending nonce: a better price for the same call, or a
   * cancellation. Its settlements are assigned to it; the earlier transaction stays observed. Throws
   * `lease_lost`.
   */
  replaceTransaction(
    lease: WalletLease,
    nonce: number,
    plan: TransactionPlan,
    now: number,
  ): Promise<RelayerTransaction>;
  /**
   * Requeues submitted settlements that no open transaction carries: theirs can never be mined, since
   * another one has finally taken the nonce. Returns those that changed.
   */
  requeueSettlements(ids: readonly string[], now: number): Promise<Settlement[]>;
  /** The wallets whose transactions carry open settlements, in any process's configuration. */
  listCarryingWallets(chainId: ChainId, now: number): Promise<CarryingWallet[]>;
  /** Hashes of all transactions that were ever signed for these settlements. */
  listSignedHashes(ids: readonly string[]): Promise<Hex[]>;
  /** Tells whether a relayer wallet signed a transaction, also one that was replaced. */
  isRelayerTransaction(hash: Hex): Promise<boolean>;
  /**
   * Failed settlements that a third party may still submit and whose check is due, longest due first.
   * Each check defers the next; one of several processes gets each.
   */
  takeFailuresToLookAt(chainId: ChainId, limit: number, now: number): Promise<Settlement[]>;
  /** Their authorizations can no longer be submitted. */
  endFailureWatches(ids: readonly string[]): Promise<void>;
  /** Watches settlements that failed since a time, as far as they have not expired. */
  watchFailedSince(chainId: ChainId, since: number, now: number): Promise<void>;
  /** The blocks with confirmed settlements of a chain that are not final yet, lowest first. */
  listUnfinalizedBlocks(chainId: ChainId): Promise<{ number: number; hash: Hex }[]>;
}

/** Which process works each wallet. */
export interface WalletLeaseStore {
  /** Registers an owner of leases as connected, for as long as this process is. */
  appear(owner: string): Promise<void>;
  /**
   * Lets the leases of owners that are not connected any more end in `toMs`, unless they are renewed
   * before. Where all owners run on one machine it does nothing.
   */
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
   * Acquires or renews a wallet's lease; undefined when another holder's still runs. Each acquisition
   * raises the fencing token. `goneOwner` may be taken from before its time. The next nonce only ever rises.
   * Leases run by the clock that all holders share: `now` counts where that is this machine's.
   */
  takeWalletLease(options: {
    chainId: ChainId;
    lane: Address;
    owner: string;
    goneOwner?: string | undefined;
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
  /** Asks the holder of a wallet for it; the first process that asks gets it. */
  askForWallet(
    chainId: ChainId,
    lane: Address,
    processes: { readonly holder: string; readonly owner: string },
  ): Promise<void>;
  /**
   * Hands a wallet over to the process that has asked for it, with a running lease; the former holder
   * can no longer write. False when the lease was lost or the request was withdrawn.
   */
  handOverWallet(
    lease: WalletLease,
    owner: string,
    terms: { readonly to: string; readonly leaseMs: number; readonly now: number },
  ): Promise<boolean>;
  /** Releases all wallets of a process on a chain, and withdraws its requests. */
  releaseWallets(chainId: ChainId, owner: string): Promise<void>;
}
