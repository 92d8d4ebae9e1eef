/**
 * What the engine keeps, as methods. Participants take part in each transition of a settlement,
 * in its transaction. Each method is atomic: it happens whole or not at all, and a transition that is
 * not allowed from the present state changes nothing. Times are milliseconds since 1970.
 * Every method throws the fault `storage_unavailable` when the database fails.
 */
import type { Address, ChainId, Hex, RefusalCode } from "@farthing/protocol";
import type {
  LaneLease,
  RelayerTransaction,
  TransactionPlan,
  TransactionState,
} from "../model/relayer-transaction.ts";
import type { PayerPause } from "../model/payer-pause.ts";
import type { Claim, Mined, Pair, Settlement } from "../model/settlement.ts";
import type { ChangeListener } from "./changes.ts";
import type { ExchangeStore } from "./exchange-store.ts";
import type { IdentifierVerbs } from "./identifier-store.ts";
import type { ClaimRefusal } from "./participant.ts";
import type { RetentionVerbs } from "./retention-store.ts";
import type { RevertedGasVerbs } from "./reverted-gas.ts";

/** What became of a claim. */
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
  /** The transaction that carried it, when there was one. */
  readonly transaction: Hex | null;
  /** Only while no transaction carries it: another process may just have given it a nonce. */
  readonly onlyUnassigned?: boolean;
  /** The payer's contract wallet is to blame: nothing is carried for it for a while. */
  readonly pausesPayer?: boolean;
}

/** Who holds a lane. */
export interface LaneHolder {
  readonly owner: string | null;
  /** Whether the lease still runs. */
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
  readonly holder: LaneHolder;
}

/** Nonces that are stored as used. */
export type UsedNonces =
  /** In a block from this one on. */
  | { readonly fromBlock: number }
  /** By a transaction that carries one of these, as far as it has no outcome. */
  | { readonly settlementIds: readonly string[] }
  /** By this wallet, from this nonce on, in a block up to this one. */
  | { readonly lane: Address; readonly fromNonce: number; readonly upToBlock: number };

/** The store of the engine. */
export interface EngineStore
  extends ExchangeStore, IdentifierVerbs, RetentionVerbs, RevertedGasVerbs {
  /** Claims verified payments, all in one transaction; results in the order of the claims. */
  claimSettlements(claims: readonly Claim[], now: number): Promise<ClaimResult[]>;
  findSettlement(id: string): Promise<Settlement | undefined>;
  /** One entry per pair, in order. */
  findSettlementsByPair(pairs: readonly Pair[]): Promise<(Settlement | undefined)[]>;
  /** Queued and submitted settlements of a chain, oldest first. */
  listOpenSettlements(chainId: ChainId): Promise<Settlement[]>;
  /** Queued settlements that no transaction carries, created before a time, oldest first. */
  listUnassigned(
    chainId: ChainId,
    options: {
      readonly olderThan: number;
      readonly limit: number;
      /** Created at this time or later: where an earlier list ended. */
      readonly from?: number;
      /** Of callers with an API key, or of those without; of both when left out. */
      readonly isKeyed?: boolean;
    },
  ): Promise<Settlement[]>;
  /** Those of the named settlements that are queued and that no transaction carries. */
  findUnassigned(ids: readonly string[]): Promise<Settlement[]>;
  /** Marks settlements confirmed; gives those that were not already, as they are now. */
  recordConfirmed(confirmations: readonly Confirmation[], now: number): Promise<Settlement[]>;
  /** One entry per payer, in order; undefined for a payer whose transactions do not revert. */
  findPayerPauses(
    chainId: ChainId,
    payers: readonly Address[],
  ): Promise<(PayerPause | undefined)[]>;
  /** Of these settlements, those that transactions which reverted have carried twice or more. */
  findRevertedTwice(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Marks settlements failed, and pauses payers who are to blame; gives those that moved. */
  recordFailed(failures: readonly Failure[], now: number): Promise<Settlement[]>;
  /**
   * Puts confirmed settlements of vanished blocks back to submitted; gives them. `hashes`: only of
   * these blocks, since another process may have seen what took their place already.
   */
  recordReorganised(
    chainId: ChainId,
    fromBlock: number,
    now: number,
    hashes?: readonly Hex[],
  ): Promise<Settlement[]>;
  /** Marks confirmed settlements up to a final block; gives those that were not already. */
  recordFinalized(chainId: ChainId, upToBlock: number, now: number): Promise<Settlement[]>;

  /**
   * Tells other processes on the same database that a node has these settlements' transactions.
   * Every verb that creates or moves settlements tells them by itself.
   */
  announceSent(ids: readonly string[]): Promise<void>;
  /** Tells them of settlements that were claimed where there is no wallet. */
  announceUnserved(ids: readonly string[]): Promise<void>;
  /**
   * Calls the listener with what other processes did, never with what this one did; without ids
   * when news may have been missed. Gives what ends that. A file on one machine has no news.
   */
  onChange(listener: ChangeListener): () => void;

  /** From now on an owner of leases counts as connected, for as long as this process is. */
  appear(owner: string): Promise<void>;
  /**
   * Lets the leases of owners that are not connected any more end in `toMs`, unless they are renewed
   * before. Where all owners run on one machine it does nothing.
   */
  shortenLostLeases(
    chainId: ChainId,
    times: { readonly toMs: number; readonly now: number },
  ): Promise<void>;
  /** One entry per lane, in order; none for a lane that nobody has ever held. */
  findLaneHolders(
    chainId: ChainId,
    lanes: readonly Address[],
    now: number,
  ): Promise<(LaneHolder | undefined)[]>;
  /**
   * Takes or renews a lane's lease; undefined when another holder's still runs. A take-over makes
   * the fence grow. `goneOwner` may be taken from before its time. The next nonce only ever rises.
   * Leases run by the clock that all holders share: `now` counts where that is this machine's.
   */
  takeLane(options: {
    chainId: ChainId;
    lane: Address;
    owner: string;
    goneOwner?: string | undefined;
    nonceFloor: number;
    leaseMs: number;
    now: number;
  }): Promise<LaneLease | undefined>;
  /** Keeps a lease alive; false when it is no longer ours. */
  renewLane(
    lease: LaneLease,
    owner: string,
    times: { readonly leaseMs: number; readonly now: number },
  ): Promise<boolean>;
  /** Asks the holder of a lane for it; the first who asks is the one who gets it. */
  askForLane(
    chainId: ChainId,
    lane: Address,
    processes: { readonly holder: string; readonly owner: string },
  ): Promise<void>;
  /**
   * Gives a lane to the process that has asked for it, with a lease that runs; the former holder
   * writes nothing any more. False when it was not ours or is not wanted any more.
   */
  handOverLane(
    lease: LaneLease,
    owner: string,
    terms: { readonly to: string; readonly leaseMs: number; readonly now: number },
  ): Promise<boolean>;
  /** Gives back whatever a process holds on a chain, and withdraws what it has asked for. */
  releaseLanes(chainId: ChainId, owner: string): Promise<void>;
  /**
   * Takes the next nonces for planned transactions, in order, and ties their settlements to them.
   * A plan is left out when one of its settlements is no longer queued or is already carried.
   * Throws the fault `lease_lost` when the lane is no longer ours.
   */
  reserveTransactions(
    lease: LaneLease,
    plans: readonly TransactionPlan[],
    now: number,
  ): Promise<RelayerTransaction[]>;
  /**
   * Stores signed bytes before anything leaves, and moves their settlements to submitted; gives
   * those settlements. Throws `lease_lost` when the lane is no longer ours.
   */
  recordSigned(
    lease: LaneLease,
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
   * Opens nonces again that were used in blocks which are gone, or may be. Those of a lane whose
   * signed bytes were removed are dropped instead.
   */
  reopenTransactions(chainId: ChainId, which: UsedNonces): Promise<void>;
  /** The nonce after the highest one that is known to be used up; 0 when none is. */
  countMinedNonces(chainId: ChainId, lane: Address): Promise<number>;
  /** Transactions that may still be mined, by nonce. */
  listOpenTransactions(chainId: ChainId, lane: Address): Promise<RelayerTransaction[]>;

  /**
   * Puts another transaction at a nonce that this lane has taken: a better price for the same
   * call, or a call to itself that only uses the nonce up. The settlements it names are carried
   * by it from now on; the earlier transaction stays watched. Throws `lease_lost`.
   */
  replaceTransaction(
    lease: LaneLease,
    nonce: number,
    plan: TransactionPlan,
    now: number,
  ): Promise<RelayerTransaction>;
  /**
   * Puts submitted settlements back to queued, as far as no open transaction carries them: theirs
   * can never be mined, since another one has finally taken the nonce. Returns those that moved.
   */
  requeueSettlements(ids: readonly string[], now: number): Promise<Settlement[]>;
  /** The wallets whose transactions carry open settlements, whoever is configured with them. */
  listCarryingWallets(chainId: ChainId, now: number): Promise<CarryingWallet[]>;
  /** Hashes of all transactions that were ever signed for these settlements. */
  listSignedHashes(ids: readonly string[]): Promise<Hex[]>;
  /** Tells whether a transaction is one of ours, also an earlier one at a replaced nonce. */
  isRelayerTransaction(hash: Hex): Promise<boolean>;
  /**
   * Failed settlements that somebody else may still submit, as far as it is time to look at them,
   * longest due first. Each look puts off the next one; of several processes one looks.
   */
  takeFailuresToLookAt(chainId: ChainId, limit: number, now: number): Promise<Settlement[]>;
  /** Nobody can submit them any more. */
  endFailureWatches(ids: readonly string[]): Promise<void>;
  /** Watches settlements that failed since a time, as far as they have not expired. */
  watchFailedSince(chainId: ChainId, since: number, now: number): Promise<void>;
  /** The blocks with confirmed settlements of a chain that are not final yet, lowest first. */
  listUnfinalizedBlocks(chainId: ChainId): Promise<{ number: number; hash: Hex }[]>;

  /** Answers when the database does. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
