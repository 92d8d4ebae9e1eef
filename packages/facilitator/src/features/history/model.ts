/** The settlements of an account as their owner sees them. Times are milliseconds since 1970. */
import type { SettlementState } from "@farthing/engine";
import type { Address, ChainId, Hex } from "@farthing/protocol";
import type { BookFilter } from "../books/store.ts";
import type { carrierColumns } from "./tables.ts";

/** An empty filter selects all settlements of an account. */
export interface HistoryFilter extends BookFilter {
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

/** A transaction that carried a settlement, and the number of settlements that share its gas. */
export type CarriedBy = ReturnType<typeof carrierColumns.read> & { readonly settlements: number };

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
