/** A relayer transaction: one nonce of one wallet, carrying one or more settlements. */
import type { Address, ChainId, Hex } from "@farthing/protocol";

/**
 * Where a transaction stands.
 * - `intent`: nonce taken, nothing signed: nothing can have left.
 * - `signed`: bytes stored; from here on they may be anywhere.
 * - `sent`: a node took them.
 * - `mined`: in a block, whatever its status.
 * - `dropped`: its nonce was consumed by another transaction.
 */
export type TransactionState = "intent" | "signed" | "sent" | "mined" | "dropped";

/** The states of transactions that may still be mined. */
export const openTransactionStates = [
  "intent",
  "signed",
  "sent",
] as const satisfies readonly TransactionState[];

/** A transaction before a nonce is taken for it. */
export interface TransactionPlan {
  readonly settlementIds: readonly string[];
  readonly to: Address;
  readonly data: Hex;
  readonly gasLimit: bigint;
  /** Wei. */
  readonly gasPrice: bigint;
  /** Of a contract payer, who may have only so many payments on their way. */
  readonly payerLimit?: { readonly payer: Address; readonly max: number };
}

/** A transaction as stored. */
export interface RelayerTransaction extends TransactionPlan {
  readonly id: number;
  readonly chainId: ChainId;
  /** The sending wallet. */
  readonly lane: Address;
  readonly nonce: number;
  readonly state: TransactionState;
  /** Signed bytes, kept so that a resend is always the same bytes. */
  readonly raw: Hex | null;
  readonly hash: Hex | null;
}

/** The lease of a wallet on a network, held by one process at a time. */
export interface WalletLease {
  readonly chainId: ChainId;
  readonly lane: Address;
  /** The fencing token: every write names it, so that a former holder writes nothing. */
  readonly fence: number;
  readonly nextNonce: number;
}
