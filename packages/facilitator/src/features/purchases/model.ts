/** Purchases of credits and their transitions. Times are milliseconds since 1970. */
import type { Address, ChainId, Hex } from "@farthing/protocol";

/**
 * - `awaiting_payment`: created, not paid yet.
 * - `settling`: its payment is a settlement that is not final yet.
 * - `confirmed`: the payment is final.
 * - `held`: paid, and waits for the operator's review.
 * - `credited`: its credits are in the ledger.
 * - `rejected`: the operator refused it.
 * - `failed`: its payment did not move money.
 * - `expired`, `canceled`: not paid in time; canceled by its owner.
 */
export const purchaseStates = [
  "awaiting_payment",
  "settling",
  "confirmed",
  "held",
  "credited",
  "rejected",
  "failed",
  "expired",
  "canceled",
] as const;
export type PurchaseState = (typeof purchaseStates)[number];

/** The states from which each state can be reached, as the guards of updates. */
export const purchaseTransitions: Readonly<Record<PurchaseState, readonly PurchaseState[]>> = {
  // A refused payment leads back.
  awaiting_payment: ["settling"],
  // Settling again stores the settlement once it is known. The signature of a canceled purchase can
  // still be used; the purchase expires once it cannot.
  settling: ["awaiting_payment", "settling", "canceled"],
  // Money that moved late is reported as moved.
  confirmed: ["settling", "failed"],
  held: ["confirmed"],
  credited: ["confirmed", "held"],
  rejected: ["held"],
  failed: ["settling"],
  expired: ["awaiting_payment", "canceled"],
  canceled: ["awaiting_payment"],
};

/** Why the operator reviews a purchase. */
export type HoldReason =
  | "amount_above_limit"
  | "sender_not_linked"
  | "amount_mismatch"
  | "daily_limit";

export interface PurchaseStep {
  readonly state: PurchaseState;
  readonly at: number;
}

export interface CreditPurchase {
  readonly id: string;
  readonly account: Address;
  readonly chainId: ChainId;
  /** The wallet that pays; null until it is known. */
  readonly payer: Address | null;
  /** The nonce of a payment whose payer chose it; null where it derives from the id. */
  readonly nonce: Hex | null;
  /** The API key that was sold with the credits; null before, and where none was. */
  readonly keyId: string | null;
  readonly credits: number;
  /** The price in USDC base units. */
  readonly units: bigint;
  readonly state: PurchaseState;
  /** The settlement that carries its payment. */
  readonly settlementId: string | null;
  readonly holdReason: HoldReason | null;
  /** Why it failed, for people. */
  readonly failureMessage: string | null;
  /** The operator who approved or rejected it, and their note. */
  readonly reviewer: string | null;
  readonly reviewNote: string | null;
  /** The log that paid it: one log pays one purchase. */
  readonly transaction: Hex | null;
  readonly blockNumber: number | null;
  readonly logIndex: number | null;
  readonly timeline: readonly PurchaseStep[];
  readonly createdAt: number;
  /** The deadline for the payment. */
  readonly expiresAt: number;
  readonly updatedAt: number;
  readonly creditedAt: number | null;
}

/** A transition with the values that it records. */
export type PurchaseMove =
  | { readonly to: "settling"; readonly payer: Address; readonly settlementId: string | null }
  | { readonly to: "awaiting_payment" | "expired" | "canceled" }
  | { readonly to: "failed"; readonly failureMessage: string }
  | {
      readonly to: "confirmed";
      readonly transaction: Hex;
      readonly blockNumber: number;
      readonly logIndex: number;
    }
  | { readonly to: "held"; readonly holdReason: HoldReason }
  /** By the operator when there is a reviewer, else automatically. */
  | { readonly to: "credited"; readonly reviewer?: string; readonly reviewNote?: string }
  | { readonly to: "rejected"; readonly reviewer: string; readonly reviewNote: string };
