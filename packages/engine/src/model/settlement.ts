/**
 * A settlement: the story of one authorization from claim to outcome. Its identity is
 * (chain, asset, payer, nonce), which the token itself lets be used once.
 */
import type { Address, ChainId, Hex, RefusalCode } from "@farthing/protocol";
import type { RevertedGasTerms } from "./reverted-gas.ts";

/**
 * Where a settlement stands.
 * - `queued`: claimed; no transaction carries it yet.
 * - `submitted`: a signed transaction that carries it is stored; it may or may not be on chain.
 * - `confirmed`: mined, and its own AuthorizationUsed and Transfer logs are there.
 * - `failed`: the relayer's transaction did not and will not move the money. A third party still can
 *   until the authorization expires; that is observed and then reported.
 */
export const settlementStates = ["queued", "submitted", "confirmed", "failed"] as const;
export type SettlementState = (typeof settlementStates)[number];

/** A change of state: the states that it is allowed from, and the state that it leads to. */
interface StateChange {
  readonly from: readonly SettlementState[];
  readonly to: SettlementState;
}

/** Every allowed change of state. The store builds the guards of its updates from this table. */
export const settlementTransitions = {
  // A replacement transaction is signed while the settlement is submitted.
  signed: { from: ["queued", "submitted"], to: "submitted" },
  // From queued when a third party submitted the authorization first. From failed when a third party
  // submits it later, while it is valid: money that moved is always reported as moved.
  confirmed: { from: ["queued", "submitted", "failed"], to: "confirmed" },
  failed: { from: ["queued", "submitted"], to: "failed" },
  // Only when its transaction can provably never be mined.
  requeued: { from: ["submitted"], to: "queued" },
  // Its block was reorganised out.
  reorganised: { from: ["confirmed"], to: "submitted" },
  // Its block became final; it stays confirmed.
  finalized: { from: ["confirmed"], to: "confirmed" },
} as const satisfies Readonly<Record<string, StateChange>>;

/** The states of settlements without an outcome. */
export const openStates = ["queued", "submitted"] as const satisfies readonly SettlementState[];

/** The identity of a settlement; addresses and nonce in lower case where they are compared. */
export interface Pair {
  readonly chainId: ChainId;
  readonly asset: Address;
  readonly payer: Address;
  readonly nonce: Hex;
}

/** Whose turn it is among others: callers with an API key before the open surfaces' callers. */
export type Priority = "keyed" | "open";

/** Annotations of features. The engine stores and returns them, and decides nothing by them. */
export interface SettlementAnnotations {
  /** The API key's lookup id on an authenticated surface, else null. */
  readonly keyId: string | null;
  /** Its price in credits: reserved while it is open, charged when confirmed, released when failed. */
  readonly credits: number;
}

/** Terms by which participants decide a claim; the engine does not store them. */
export interface ClaimTerms {}

/** A verified payment, ready to be settled. */
export interface Claim extends Pair, SettlementAnnotations {
  readonly id: string;
  readonly payTo: Address;
  /** USDC base units. */
  readonly amount: bigint;
  /** Unix seconds. */
  readonly validAfter: bigint;
  /** Unix seconds. */
  readonly validBefore: bigint;
  /** The bytes that were verified; the same bytes are simulated and sent. */
  readonly signature: Hex;
  readonly payerHasCode: boolean;
  /** A block at which the token said that the nonce was unused: where a search for its use begins. */
  readonly seenUnusedAt: number;
  /** The network as the payment named it; answers repeat it. */
  readonly networkName: string;
  /** The seller's account, for which it is settled; null where the caller has none. */
  readonly owner: Address | null;
  readonly priority: Priority;
  /** Names the request that claimed it, in answers and logs; null when it had none. */
  readonly requestId: string | null;
  readonly terms: ClaimTerms;
  /** The gas that a contract payer's transaction may burn by reverting; absent without a bound. */
  readonly revertedGas?: RevertedGasTerms | undefined;
  /** The id that the buyer gave the payment. */
  readonly identifier?: string | undefined;
  /** The call that claims it; null when no seller called, as for a purchase of credits. */
  readonly claimingCall: ClaimingCall | null;
}

/** The call that claimed a payment; it decides the response to a repeat. */
export interface ClaimingCall {
  /** The account, or without a key the network address; stored as a hash. */
  readonly caller: string;
  /** By which the caller named its exchange; stored as a hash. */
  readonly idempotencyKey: string | null;
  /** The seller settles before the work, and so without `/verify`. */
  readonly isUpfront: boolean;
  /** The writer that may report the success, from the claim on; null when that is open. */
  readonly successToldTo: string | null;
}

/** The outcome on chain. */
export interface Mined {
  readonly transaction: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Index of its AuthorizationUsed log: with the hash it names the payment within a batch. */
  readonly logIndex: number;
  readonly settledBy: "relayer" | "other";
}

/** A settlement as stored. Times are milliseconds since 1970. */
export interface Settlement extends Omit<
  Claim,
  "terms" | "revertedGas" | "claimingCall" | "identifier"
> {
  readonly state: SettlementState;
  /** Hash of the transaction that carries or carried it; null while queued. */
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

/** Tells whether nothing more will happen to a settlement, reorganisations aside. */
export function isSettled(settlement: Settlement): boolean {
  return settlement.state === "confirmed" || settlement.state === "failed";
}

/** Credits that a settlement has cost, or holds while it is open: a failed one costs none. */
export function creditsOf({ state, credits }: Settlement): number {
  return state === "failed" ? 0 : credits;
}

/** A text that is equal for equal pairs. */
export function pairKey(pair: Pair): string {
  return `${pair.chainId}:${pair.asset}:${pair.payer}:${pair.nonce}`.toLowerCase();
}

/** The part of the key that is in logs: payer and nonce. */
export function payerNonceKey(payer: string, nonce: string): string {
  return `${payer}:${nonce}`.toLowerCase();
}
