/** The responses of a facilitator. A buyer's receipt is the settle response. */
import type { Hex } from "../encoding/hex.ts";
import {
  defined,
  isObject,
  member,
  objectMembers,
  textMembers,
  type JsonObject,
} from "../encoding/json.ts";

export interface VerifyResponse {
  readonly isValid: boolean;
  /** A code of the closed table from this facilitator; any text from others. */
  readonly invalidReason?: string;
  readonly invalidMessage?: string;
  readonly payer?: string;
  readonly extensions?: JsonObject;
  readonly extra?: JsonObject;
}

/** `failed` is only ever said of money that did not and will not move. */
export type SettlementStatus = (typeof settlementStatuses)[number];
const settlementStatuses = ["pending", "confirmed", "failed"] as const;

/** The response of `/settle`, and the receipt. `transaction` is "" while no hash is known. */
export interface SettleResponse {
  readonly success: boolean;
  readonly transaction: string;
  readonly network: string;
  readonly payer?: string;
  readonly errorReason?: string;
  readonly errorMessage?: string;
  readonly amount?: string;
  /** Present on asynchronous surfaces. */
  readonly id?: string;
  readonly status?: SettlementStatus;
  readonly extensions?: JsonObject;
  /** Stock parsers keep this; `settlementId`, `x402Reason` and `replayed` travel here. */
  readonly extra?: JsonObject;
}

/** A refund among those of its payment. */
export interface RefundFacts {
  /** Of its own settlement. */
  readonly id: string;
  /** Determines its nonce. */
  readonly ordinal: number;
  readonly state: "queued" | "submitted" | "confirmed" | "failed";
  readonly amount: string;
  readonly transaction: Hex | null;
  readonly finalized: boolean;
}

/** The response of `GET /settlements/{id}`. */
export interface SettlementResponse extends SettleResponse {
  readonly id: string;
  readonly status: SettlementStatus;
  readonly state: "queued" | "submitted" | "confirmed" | "failed";
  readonly asset: string;
  readonly payTo: string;
  readonly amount: string;
  readonly blockNumber: number | null;
  /** The payment's AuthorizationUsed log in that block; its Transfer is the next one. */
  readonly logIndex: number | null;
  readonly confirmations: number;
  readonly finalized: boolean;
  /** Who sent the transfer: our relayer, or a third party. */
  readonly settledBy: "relayer" | "other" | null;
  /** The payment's settlement; null for a payment. */
  readonly refundOf: string | null;
  /** By ordinal. */
  readonly refunds: readonly RefundFacts[];
  /** Base units of the refunds that are open or confirmed. */
  readonly refundedAmount: string;
  /** Base units that a refund has at least, unless it returns all that is left. */
  readonly minRefundAmount: string;
  /** Reserved or charged for this settlement. */
  readonly credits: number;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly submittedAt: string | null;
  readonly confirmedAt: string | null;
  readonly finalizedAt: string | null;
  readonly failedAt: string | null;
  /** When the chain showed it after the database had lost it; null for one that never was lost. */
  readonly recoveredAt: string | null;
}

export interface SupportedKind {
  readonly x402Version: 1 | 2;
  readonly scheme: "exact" | "batch-settlement";
  readonly network: string;
  readonly asset: string;
  readonly extra: JsonObject;
}

/** The response of `GET /supported`. */
export interface SupportedResponse {
  readonly kinds: readonly SupportedKind[];
  readonly extensions: readonly string[];
  readonly signers: Readonly<Record<string, readonly string[]>>;
}

/** Undefined for any other value. Null counts as absent, as in stock parsers. */
export function parseVerifyResponse(input: unknown): VerifyResponse | undefined {
  if (!isObject(input)) return undefined;
  const isValid = member(input, "isValid");
  if (typeof isValid !== "boolean") return undefined;
  return {
    isValid,
    ...textMembers(input, "invalidReason", "invalidMessage", "payer"),
    ...objectMembers(input, "extensions", "extra"),
  };
}

/** Reads a settle response or a receipt; undefined for any other value. */
export function parseSettleResponse(input: unknown): SettleResponse | undefined {
  if (!isObject(input)) return undefined;
  const success = member(input, "success");
  const transaction = member(input, "transaction");
  const network = member(input, "network");
  if (typeof success !== "boolean" || typeof network !== "string") return undefined;
  if (typeof transaction !== "string") return undefined;
  const status = member(input, "status");
  return {
    success,
    transaction,
    network,
    ...textMembers(input, "payer", "errorReason", "errorMessage", "amount", "id"),
    ...defined({ status: settlementStatuses.find((one) => one === status) }),
    ...objectMembers(input, "extensions", "extra"),
  };
}

/** Reasons that leave open whether money moved: ours, stock ones and hosted facilitators'. */
const unknownOutcomes: ReadonlySet<string> = new Set([
  "settlement_pending",
  "service_unavailable",
  "unexpected_settle_error",
  "settle_exact_evm_transaction_confirmation_timed_out",
  "settle_exact_node_failure",
  "unknown_error",
]);

/** The status that a settle response proves: pending, never failed, where it is unclear. */
export function statusOf(response: SettleResponse): SettlementStatus {
  const { success, status, errorReason } = response;
  if (status === "pending") return "pending";
  if (success) {
    return status === "failed" || errorReason === "settlement_pending" ? "pending" : "confirmed";
  }
  if (status === "confirmed") return "pending";
  if (errorReason === undefined) return status ?? "pending";
  // A reason that is no code is an exception's text (stock version 1 facilitators): it does not
  // tell whether the transaction was mined.
  const isCode = /^[a-z0-9_]+$/.test(errorReason);
  return isCode && !unknownOutcomes.has(errorReason) ? "failed" : "pending";
}

export function isTransactionHash(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}
