/** The settlements of an account as its owner sees them. Times are milliseconds since 1970. */
import type { SettlementState, TransactionState } from "@farthing/engine";
import type { Address, ChainId, Hex } from "@farthing/protocol";

/** Which settlements of an account are wanted; all when nothing is said. */
export interface HistoryFilter {
  readonly state?: SettlementState | undefined;
  readonly payer?: Address | undefined;
  readonly keyId?: string | undefined;
  readonly chainId?: ChainId | undefined;
  readonly transaction?: Hex | undefined;
  /** Claimed at this time or later. */
  readonly since?: number | undefined;
  /** Claimed before this time. */
  readonly before?: number | undefined;
}

/** A transaction that carried a settlement, as its story tells it. */
export interface CarriedBy {
  readonly hash: Hex | null;
  readonly lane: Address;
  readonly nonce: number;
  readonly state: TransactionState;
  /** Wei. */
  readonly gasPrice: bigint;
  readonly createdAt: number;
  readonly sentAt: number | null;
  readonly blockNumber: number | null;
  /** Of the whole transaction; null until its receipt was read. */
  readonly gasUsed: number | null;
  /** Wei per gas, as charged; null until its receipt was read. */
  readonly gasPricePaid: bigint | null;
  /** Settlements that it carried, by which its gas is shared. */
  readonly settlements: number;
}

/** Settlements of an account, claimed on one day (UTC). */
export interface UsageDay {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly settled: number;
  readonly failed: number;
  readonly pending: number;
  /** USDC base units of those that settled. */
  readonly units: bigint;
  /** Credits held or charged for them. */
  readonly credits: number;
}
