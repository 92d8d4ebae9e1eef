/**
 * What a facilitator answers: verdicts, settlements, supported kinds. Read by sellers and buyers,
 * written by the facilitator. The receipt that a buyer gets is the settle answer.
 */
import type { Hex } from "./hex.ts";
import { isObject, member, objectMember, textMember, type JsonObject } from "./json.ts";

/** The answer of `/verify`. */
export interface VerifyResponse {
  readonly isValid: boolean;
  /** A refusal code of the closed table when this facilitator answers; any text of others. */
  readonly invalidReason?: string;
  readonly invalidMessage?: string;
  readonly payer?: string;
  readonly extensions?: JsonObject;
  readonly extra?: JsonObject;
}

/** One word for programs: `failed` is only ever said of money that did not and will not move. */
export type SettlementStatus = "pending" | "confirmed" | "failed";

/** The answer of `/settle`, and the receipt. `transaction` is "" while no hash is known. */
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

/** The answer of `GET /settlements/{id}`. */
export interface SettlementResponse extends SettleResponse {
  readonly id: string;
  readonly status: SettlementStatus;
  readonly state: "queued" | "submitted" | "confirmed" | "failed";
  readonly asset: string;
  readonly payTo: string;
  readonly amount: string;
  readonly blockNumber: number | null;
  /**
   * Of its AuthorizationUsed log in that block: one transaction may carry many payments, and the
   * hash with this names one of them. Its Transfer is the next log.
   */
  readonly logIndex: number | null;
  readonly confirmations: number;
  readonly finalized: boolean;
  /** Who sent the transfer that moved the money: our relayer, or somebody else. */
  readonly settledBy: "relayer" | "other" | null;
  /** Credits held or charged for this settlement. */
  readonly credits: number;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly submittedAt: string | null;
  readonly confirmedAt: string | null;
  readonly finalizedAt: string | null;
  readonly failedAt: string | null;
}

/** One way to pay that a facilitator serves. */
export interface SupportedKind {
  readonly x402Version: 1 | 2;
  readonly scheme: "exact";
  readonly network: string;
  readonly asset: string;
  readonly extra: JsonObject;
}

/** The answer of `GET /supported`. */
export interface SupportedResponse {
  readonly kinds: readonly SupportedKind[];
  readonly extensions: readonly string[];
  readonly signers: Readonly<Record<string, readonly string[]>>;
}

/** Reads a verdict; undefined when the value is none. Null counts as absent, as in stock parsers. */
export function parseVerifyResponse(input: unknown): VerifyResponse | undefined {
  if (!isObject(input)) return undefined;
  const isValid = member(input, "isValid");
  if (typeof isValid !== "boolean") return undefined;
  return {
    isValid,
    ...textMember(input, "invalidReason"),
    ...textMember(input, "invalidMessage"),
    ...textMember(input, "payer"),
    ...objectMember(input, "extensions"),
    ...objectMember(input, "extra"),
  };
}

/** Reads a settle answer or a receipt; undefined when the value is none. */
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
    ...textMember(input, "payer"),
    ...textMember(input, "errorReason"),
    ...textMember(input, "errorMessage"),
    ...textMember(input, "amount"),
    ...textMember(input, "id"),
    ...(status === "pending" || status === "confirmed" || status === "failed" ? { status } : {}),
    ...objectMember(input, "extensions"),
    ...objectMember(input, "extra"),
  };
}

/**
 * Reasons by which facilitators say that they do not know whether money moved: ours and stock
 * ones, then the hosted ones' names for the same.
 */
const unknownOutcomes: ReadonlySet<string> = new Set([
  "settlement_pending",
  "service_unavailable",
  "unexpected_settle_error",
  "settle_exact_evm_transaction_confirmation_timed_out",
  "settle_exact_node_failure",
  "unknown_error",
]);

/**
 * Where a settle answer stands. "Confirmed" and "failed" only when nothing in the answer says
 * otherwise; what is unclear, contradicts itself or cannot be read is pending, never failed.
 */
export function statusOf(response: SettleResponse): SettlementStatus {
  const { success, status, errorReason } = response;
  if (status === "pending") return "pending";
  if (success) {
    return status === "failed" || errorReason === "settlement_pending" ? "pending" : "confirmed";
  }
  if (status === "confirmed") return "pending";
  if (errorReason === undefined) return status ?? "pending";
  // A reason that is no code is the text of an exception (stock version 1 facilitators): it tells
  // what went wrong around the transaction, not whether the transaction was mined.
  const isCode = /^[a-z0-9_]+$/.test(errorReason);
  return isCode && !unknownOutcomes.has(errorReason) ? "failed" : "pending";
}

/** Tells whether a text is a transaction hash. */
export function isTransactionHash(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}
