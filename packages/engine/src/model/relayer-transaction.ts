/** A relayer transaction: one nonce of one wallet, carrying one or more settlements. */
import type { Address, ChainId, Hex } from "@farthing/protocol";

/**
 * - `intent`: the nonce is taken and nothing is signed, so nothing can have been sent.
 * - `signed`: the bytes are stored and may have reached any node.
 * - `sent`: a node accepted the bytes.
 * - `mined`: in a block, whatever its status.
 * - `dropped`: another transaction consumed its nonce.
 */
export type TransactionState = "intent" | "signed" | "sent" | "mined" | "dropped";

export const openTransactionStates = [
  "intent",
  "signed",
  "sent",
] as const satisfies readonly TransactionState[];

interface StateChange {
  readonly from: readonly TransactionState[];
  readonly to: TransactionState;
}

/** Every allowed change of state. The store builds the guards of its updates from this table. */
export const transactionTransitions = {
  signed: { from: ["intent"], to: "signed" },
  sent: { from: ["signed"], to: "sent" },
  // Only what was never signed: its nonce is used by another transaction.
  released: { from: ["intent"], to: "dropped" },
  mined: { from: openTransactionStates, to: "mined" },
  dropped: { from: openTransactionStates, to: "dropped" },
  // Every attempt at a nonce whose block was, or may have been, reorganised out.
  reopened: { from: ["mined", "dropped"], to: "sent" },
  // The bytes of a used nonce that turns out to be unused were removed.
  lost: { from: ["mined"], to: "dropped" },
} as const satisfies Readonly<Record<string, StateChange>>;

/** A transaction before a nonce is taken for it. */
export interface TransactionPlan {
  readonly settlementIds: readonly string[];
  readonly to: Address;
  readonly data: Hex;
  readonly gasLimit: bigint;
  /** Wei. */
  readonly gasPrice: bigint;
  /** Set for a contract payer, whose open payments are limited. */
  readonly payerLimit?: { readonly payer: Address; readonly max: number };
}

export interface RelayerTransaction extends TransactionPlan {
  readonly id: number;
  readonly chainId: ChainId;
  readonly lane: Address;
  readonly nonce: number;
  readonly state: TransactionState;
  /** The signed bytes, stored so that a resend is always the same. */
  readonly raw: Hex | null;
  readonly hash: Hex | null;
}

/**
 * Names a stored transaction. Ids alone do not: a database that lost its last commits gives them again,
 * to other transactions.
 */
export type TransactionName = Pick<
  RelayerTransaction,
  "id" | "chainId" | "lane" | "nonce" | "hash"
>;

/** The lease of a wallet on a network, held by one process at a time. */
export interface WalletLease {
  readonly chainId: ChainId;
  readonly lane: Address;
  /** The fencing token of every write: a former holder writes nothing. */
  readonly fence: number;
  /**
   * The holder's random id, which is a condition of every write as well: a database that lost its last
   * commits gives fencing tokens again.
   */
  readonly holder: string;
  readonly nextNonce: number;
}
