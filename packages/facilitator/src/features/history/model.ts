/** The settlements of an account as their owner sees them. Times are milliseconds since 1970. */
import type { SettlementState, TransactionState } from "@farthing/engine";
import type { Address, ChainId, Hex } from "@farthing/protocol";

/** An empty filter selects all settlements of an account. */
export interface HistoryFilter {
  readonly state?: SettlementState | undefined;
  readonly payer?: Address | undefined;
  readonly keyId?: string | undefined;
  readonly chainId?: ChainId | undefined;
  readonly transaction?: Hex | undefined;
  /** Inclusive; the time of the claim. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly before?: number | undefined;
}

/** A transaction that carried a settlement. */
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
  /** The number of settlements that share its gas. */
  readonly settlements: number;
}

/** Settlements of an account that were claimed on one day (UTC). */
export interface UsageDay {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly settled: number;
  readonly failed: number;
  readonly pending: number;
  /** USDC base units of confirmed settlements. */
  readonly units: bigint;
  /** Reserved or charged credits. */
  readonly credits: number;
}
