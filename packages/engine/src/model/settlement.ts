/** A settlement: one authorization, (chain, asset, payer, nonce), from the claim to its outcome. */
import type { Address, ChainId, Hex, RefusalCode } from "@farthing/protocol";
import type { RevertedGasTerms } from "./reverted-gas.ts";

/**
 * - `queued`: claimed; no transaction carries it yet.
 * - `submitted`: a signed transaction that carries it is stored; it may or may not be on chain.
 * - `confirmed`: mined, with its own AuthorizationUsed and Transfer logs.
 * - `failed`: the relayer's transaction did not and will not move the money. A third party can
 *   until the authorization expires; that is observed and then reported.
 */
export const settlementStates = ["queued", "submitted", "confirmed", "failed"] as const;
export type SettlementState = (typeof settlementStates)[number];

/**
 * - `uncarried`: no open transaction carries it, and none that is mined in a block that may be gone.
 * - `unfinalized`: it is not recorded as final.
 */
export type TransitionCondition = "uncarried" | "unfinalized";

interface StateChange {
  readonly from: readonly SettlementState[];
  readonly to: SettlementState;
  /** What has to hold besides the state. */
  readonly only?: TransitionCondition;
}

/** Every allowed change of state. The store builds the guards of its updates from this table. */
export const settlementTransitions = {
  // A replacement transaction is signed while the settlement is submitted.
  signed: { from: ["queued", "submitted"], to: "submitted" },
  // From queued or failed when a third party submits the authorization: money that moved is always
  // reported as moved.
  confirmed: { from: ["queued", "submitted", "failed"], to: "confirmed" },
  failed: { from: ["queued", "submitted"], to: "failed" },
  // Only when its transaction can provably never be mined.
  requeued: { from: ["submitted"], to: "queued", only: "uncarried" },
  reorganised: { from: ["confirmed"], to: "submitted", only: "unfinalized" },
  finalized: { from: ["confirmed"], to: "confirmed", only: "unfinalized" },
  // Only a refund: it is signed again, with the same nonce.
  renewed: { from: ["failed"], to: "queued" },
} as const satisfies Readonly<Record<string, StateChange>>;

export const openStates = ["queued", "submitted"] as const satisfies readonly SettlementState[];

/** The identity of a settlement. Addresses and nonce are compared in lower case. */
export interface AuthorizationKey {
  readonly chainId: ChainId;
  readonly asset: Address;
  readonly payer: Address;
  readonly nonce: Hex;
}

/** Callers with an API key are served before callers of the open surfaces. */
export type Priority = "keyed" | "open";

/** Annotations of features, which the engine stores and returns without any decision by them. */
export interface SettlementAnnotations {
  /** The API key's lookup id on an authenticated surface, else null. */
  readonly keyId: string | null;
  /** The price: reserved while it is open, charged when confirmed, released when failed. */
  readonly credits: number;
}

/** Terms by which participants decide a claim; the engine does not store them. */
export interface ClaimTerms {}

/** A verified payment, ready to be settled. */
export interface Claim extends AuthorizationKey, SettlementAnnotations {
  readonly id: string;
  readonly payTo: Address;
  /** USDC base units. */
  readonly amount: bigint;
  /** Unix seconds. */
  readonly validAfter: bigint;
  /** Unix seconds. */
  readonly validBefore: bigint;
  /** The verified bytes, which are also simulated and sent. */
  readonly signature: Hex;
  readonly payerHasCode: boolean;
  /** A block at which the nonce was unused; a search for its use begins there. */
  readonly seenUnusedAt: number;
  /** The network as the payment named it, for responses. */
  readonly networkName: string;
  /** The seller's account; null where the caller has none. */
  readonly owner: Address | null;
  readonly priority: Priority;
  /** The id of the claiming request in responses and logs; null when it had none. */
  readonly requestId: string | null;
  readonly terms: ClaimTerms;
  /** The gas that a contract payer's transaction may burn by reverting; absent without a limit. */
  readonly revertedGas?: RevertedGasTerms | undefined;
  /** The buyer's id of the payment. */
  readonly identifier?: string | undefined;
  /** Null when no seller called, as for a purchase of credits. */
  readonly claimingCall: ClaimingCall | null;
  /** Absent for a payment. */
  readonly refund?: RefundTerms | undefined;
  /**
   * The database had lost it and the chain has shown it. Without a claiming call it belongs to the
   * first caller that repeats it.
   */
  readonly isRecovered?: boolean;
}

/** The terms by which the claim of a refund is decided. */
export interface RefundTerms {
  /** The id of the payment's settlement. */
  readonly of: string;
  /** USDC base units that a refund has at least, unless it is all that is left. */
  readonly unitsMin: bigint;
}

/** The call that claimed a payment; it decides the response to a repeat. */
export interface ClaimingCall {
  /** The account, or without a key the network address; stored as a hash. */
  readonly caller: string;
  /** The caller's key of the exchange; stored as a hash. */
  readonly idempotencyKey: string | null;
  /** The seller settles before the work, and so without `/verify`. */
  readonly isUpfront: boolean;
  /** The writer that may report the success from the claim on; null when it is open. */
  readonly successWriter: string | null;
}

export interface Mined {
  readonly transaction: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** The index of its AuthorizationUsed log, which identifies the payment within a batch. */
  readonly logIndex: number;
  readonly settledBy: "relayer" | "other";
}

/** Times are milliseconds since 1970. */
export interface Settlement extends Omit<
  Claim,
  "terms" | "revertedGas" | "claimingCall" | "identifier" | "refund" | "isRecovered"
> {
  /** SHA-256 of a contract wallet's signature: a repeat with the same one passes for good. */
  readonly signatureHash: string | null;
  /** When the chain showed it after the database had lost it; null for one that never was lost. */
  readonly recoveredAt: number | null;
  /** The settlement of the payment that this one refunds; null for a payment. */
  readonly refundOf: string | null;
  readonly state: SettlementState;
  /** The transaction that carries or carried it; null while queued. */
  readonly transaction: Hex | null;
  readonly blockNumber: number | null;
  readonly blockHash: Hex | null;
  readonly logIndex: number | null;
  readonly settledBy: "relayer" | "other" | null;
  readonly failure: RefusalCode | null;
  readonly failureMessage: string | null;
  readonly createdAt: number;
  readonly submittedAt: number | null;
  readonly confirmedAt: number | null;
  readonly finalizedAt: number | null;
  readonly failedAt: number | null;
}

/** Returns whether the settlement is over, reorganisations aside. */
export function isSettled(settlement: Settlement): boolean {
  return settlement.state === "confirmed" || settlement.state === "failed";
}

/** Charged or reserved credits; a failed settlement costs none. */
export function creditsOf({ state, credits }: Settlement): number {
  return state === "failed" ? 0 : credits;
}

/** Equal for equal authorization keys. */
export function keyText(pair: AuthorizationKey): string {
  return `${pair.chainId}:${pair.asset}:${pair.payer}:${pair.nonce}`.toLowerCase();
}

/** The part of the key that logs contain. */
export function payerNonceKey({ payer, nonce }: Pick<AuthorizationKey, "payer" | "nonce">): string {
  return `${payer}:${nonce}`.toLowerCase();
}
