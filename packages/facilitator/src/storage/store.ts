/**
 * What the facilitator keeps, as verbs. Each is atomic: it happens whole or not at all, and a move
 * that is not allowed from the present state changes nothing. Times are milliseconds since 1970.
 * Every verb throws the fault `storage_unavailable` when the database fails.
 */
import type { Address, ChainId, Hex, RefusalCode } from "@farthing/protocol";
import type { ApiKey } from "../model/api-key.ts";
import type {
  LaneLease,
  RelayerTransaction,
  TransactionPlan,
  TransactionState,
} from "../model/relayer-transaction.ts";
import type { Claim, Mined, Pair, Settlement } from "../model/settlement.ts";

/** What became of a claim. */
export type ClaimResult =
  | { readonly kind: "created"; readonly settlement: Settlement }
  /** The same authorization was claimed before; this is that settlement. */
  | { readonly kind: "existing"; readonly settlement: Settlement }
  | { readonly kind: "refused"; readonly reason: ClaimRefusal };

/** Why nothing was claimed. */
export type ClaimRefusal =
  | "payer_spend_cap_reached"
  | "key_not_valid"
  | "seller_plan_inactive"
  | "insufficient_facilitator_credits";

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
}

/** Who holds a lane. */
export interface LaneHolder {
  readonly owner: string | null;
  readonly until: number;
}

/** The store. */
export interface Store {
  /** Claims verified payments, all in one transaction; results in the order of the claims. */
  claimSettlements(claims: readonly Claim[], now: number): Promise<ClaimResult[]>;
  findSettlement(id: string): Promise<Settlement | undefined>;
  /** One entry per pair, in order. */
  findSettlementsByPair(pairs: readonly Pair[]): Promise<(Settlement | undefined)[]>;
  /** Queued and submitted settlements of a chain, oldest first. */
  listOpenSettlements(chainId: ChainId): Promise<Settlement[]>;
  /** Marks settlements confirmed; gives those that were not already, as they are now. */
  recordConfirmed(confirmations: readonly Confirmation[], now: number): Promise<Settlement[]>;
  /** Marks settlements failed; gives those that moved. */
  recordFailed(failures: readonly Failure[], now: number): Promise<Settlement[]>;
  /** Puts confirmed settlements of vanished blocks back to submitted; gives them. */
  recordReorganised(chainId: ChainId, fromBlock: number): Promise<Settlement[]>;
  /** Marks confirmed settlements up to a final block; gives those that were not already. */
  recordFinalized(chainId: ChainId, upToBlock: number, now: number): Promise<Settlement[]>;
  /** How many confirmed settlements of a chain are not final yet. */
  countUnfinalized(chainId: ChainId): Promise<number>;

  findLaneHolder(chainId: ChainId, lane: Address): Promise<LaneHolder | undefined>;
  /**
   * Takes or renews a lane's lease; undefined when another holder's still runs. A take-over makes
   * the fence grow. `goneOwner` may be taken from before its time. The next nonce only ever rises.
   */
  takeLane(options: {
    chainId: ChainId;
    lane: Address;
    owner: string;
    goneOwner?: string | undefined;
    nonceFloor: number;
    until: number;
    now: number;
  }): Promise<LaneLease | undefined>;
  /** Keeps a lease alive; false when it is no longer ours. */
  renewLane(lease: LaneLease, owner: string, until: number): Promise<boolean>;
  releaseLane(lease: LaneLease, owner: string): Promise<void>;
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
  ): Promise<void>;
  /** Opens the mined transactions of these hashes again: their block was reorganised away. */
  reopenTransactions(hashes: readonly Hex[]): Promise<void>;
  /** Transactions that may still be mined, by nonce. */
  listOpenTransactions(chainId: ChainId, lane: Address): Promise<RelayerTransaction[]>;

  /** Adds a key, and its account when it is new. */
  createApiKey(key: ApiKey): Promise<void>;
  findApiKey(id: string): Promise<ApiKey | undefined>;
  listApiKeys(account?: Address): Promise<ApiKey[]>;
  /** False when there is no such key that works. */
  revokeApiKey(id: string, now: number): Promise<boolean>;
  touchApiKey(id: string, now: number): Promise<void>;

  /** Answers when the database does. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
