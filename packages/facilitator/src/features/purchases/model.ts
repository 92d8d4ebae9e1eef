/** Purchases of credits and their transitions. Times are milliseconds since 1970. */
import type { Address, ChainId, Hex } from "@farthing/protocol";

/**
 * Where a purchase stands.
 * - `awaiting_payment`: created, not paid yet.
 * - `settling`: its payment is a settlement of ours, which is not final yet.
 * - `confirmed`: the payment is final.
 * - `held`: paid, and waits for the operator's review, with a reason.
 * - `credited`: its credits are in the ledger.
 * - `rejected`: the operator refused it.
 * - `failed`: its payment did not move money.
 * - `expired`, `canceled`: not paid in time; canceled by its owner.
 */
export type PurchaseState =
  | "awaiting_payment"
  | "settling"
  | "confirmed"
  | "held"
  | "credited"
  | "rejected"
  | "failed"
  | "expired"
  | "canceled";

/** Every allowed move; the store carries them out as guarded updates. */
export const purchaseTransitions: Readonly<Record<PurchaseState, readonly PurchaseState[]>> = {
  awaiting_payment: ["settling", "expired", "canceled"],
  // Settling again to name the settlement once it is known; awaiting when it was refused.
  settling: ["settling", "confirmed", "failed", "awaiting_payment"],
  confirmed: ["credited", "held"],
  held: ["credited", "rejected"],
  credited: [],
  rejected: [],
  // Money that moved after all is said to have moved.
  failed: ["confirmed"],
  expired: [],
  // Paid after all, by somebody who had the signature; expired once nobody can pay it any more.
  canceled: ["settling", "expired"],
};

/** Why a purchase is looked at before it is credited. */
export type HoldReason =
  | "amount_above_limit"
  | "sender_not_linked"
  | "amount_mismatch"
  | "daily_limit";

/** When a purchase came to a state. */
export interface PurchaseStep {
  readonly state: PurchaseState;
  readonly at: number;
}

/** A purchase of credits, as stored. */
export interface CreditPurchase {
  readonly id: string;
  readonly account: Address;
  readonly chainId: ChainId;
  /** The wallet that is to pay; null until it is known. */
  readonly payer: Address | null;
  readonly credits: number;
  /** Its price in USDC base units. */
  readonly units: bigint;
  readonly state: PurchaseState;
  /** The settlement of ours that carries its payment. */
  readonly settlementId: string | null;
  readonly holdReason: HoldReason | null;
  /** Why it failed, for people. */
  readonly failureMessage: string | null;
  /** The operator who approved or rejected it, and what he wrote. */
  readonly reviewer: string | null;
  readonly reviewNote: string | null;
  /** The log that paid it: one log pays one purchase. */
  readonly transaction: Hex | null;
  readonly blockNumber: number | null;
  readonly logIndex: number | null;
  readonly timeline: readonly PurchaseStep[];
  readonly createdAt: number;
  /** Until when it may be paid. */
  readonly expiresAt: number;
  readonly updatedAt: number;
  readonly creditedAt: number | null;
}

/** What a purchase becomes, with what is known by then. */
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
  /** By the operator when there is a reviewer, else by rule. */
  | { readonly to: "credited"; readonly reviewer?: string; readonly reviewNote?: string }
  | { readonly to: "rejected"; readonly reviewer: string; readonly reviewNote: string };
