/**
 * Interprets the response to a paid request. Each kind of response has one row: what is known about
 * the money, and how often the same bytes are sent again. No row ever requests another signature.
 */
import {
  findNetwork,
  formatUsdc,
  headerNames,
  isObject,
  isSameAddress,
  isTransactionHash,
  member,
  parseSettleResponse,
  parseUint256,
  readReceipt,
  statusOf,
  decodeHeader,
  type Address,
  type Hex,
  type Network,
  type SettleResponse,
} from "@farthing/protocol";
import type { OutcomeCode } from "./payment-error.ts";
import { quoteText } from "./offer/read-challenge.ts";
import { readJsonAtMost } from "./replayable-request.ts";

/** The kinds of response, see {@link rows}. */
export type ResponseKind =
  | "settled"
  | "lying_receipt"
  | "pending"
  | "failed_receipt"
  | "refused"
  | "conflict"
  | "busy"
  | "served_without_receipt"
  | "client_error"
  | "server_error"
  | "not_charged"
  | "redirect"
  | "no_answer";

/** What is known of the money: the facilitator reports `pending`; `ambiguous` means unknown. */
export type KnownState = "settled" | "pending" | "ambiguous";

interface Row {
  readonly state: KnownState;
  /** How often the same bytes are sent again after it; Infinity means until `validBefore`. */
  readonly resendsMax: number;
  readonly code?: OutcomeCode;
}

/** The table. A facilitator's fault looks like a refusal, so a refusal is tried again too. */
export const rows: Readonly<Record<ResponseKind, Row>> = {
  settled: { state: "settled", resendsMax: 0 },
  lying_receipt: { state: "ambiguous", resendsMax: 0, code: "receipt_mismatch" },
  pending: { state: "pending", resendsMax: Infinity, code: "settlement_pending" },
  failed_receipt: { state: "ambiguous", resendsMax: 1, code: "payment_refused" },
  refused: { state: "ambiguous", resendsMax: 2, code: "payment_refused" },
  conflict: { state: "ambiguous", resendsMax: 0, code: "request_conflict" },
  busy: { state: "ambiguous", resendsMax: Infinity, code: "seller_unavailable" },
  served_without_receipt: { state: "ambiguous", resendsMax: 0, code: "receipt_missing" },
  client_error: { state: "ambiguous", resendsMax: 0, code: "seller_error" },
  server_error: { state: "ambiguous", resendsMax: Infinity, code: "seller_unavailable" },
  // The seller's claim that it was not charged is no proof, but nothing is lost by stopping.
  not_charged: { state: "ambiguous", resendsMax: 2, code: "not_charged" },
  redirect: { state: "ambiguous", resendsMax: 0, code: "redirected" },
  no_answer: { state: "ambiguous", resendsMax: Infinity, code: "no_answer" },
};

/** What the receipt has to agree with. */
export interface ExpectedReceipt {
  readonly payer: Address;
  readonly network: Network;
  readonly amountUnits: bigint;
}

/** An interpreted response. */
export interface ResponseReading {
  readonly kind: ResponseKind;
  readonly receipt?: SettleResponse;
  /** The hash the seller named, whatever the state. */
  readonly transaction?: Hex;
  /** Why, as far as the seller said; safe to print. */
  readonly reason?: string;
  /** The seller says that it charged nothing. */
  readonly saysUncharged?: true;
}

/** Interprets a response without consuming its body. */
export async function readPaidResponse(
  response: Response,
  expected: ExpectedReceipt,
): Promise<ResponseReading> {
  const inHeaders = readReceipt(response.headers);
  if (inHeaders) return readReceiptStatus(inHeaders, expected);
  const said = await readSmallJson(response);
  const receipt = parseSettleResponse(said);
  // A body is the seller's content, so it is never taken as a proof of payment: only a "not yet"
  // or a "no" counts.
  if (receipt && isNo(receipt)) return readReceiptStatus(receipt, expected);
  const isUncharged = saysUncharged(response, said);
  const kind = kindOf(response, isUncharged);
  const reason = kind === "refused" ? reasonOf(response, said) : undefined;
  return {
    kind,
    ...(reason === undefined ? {} : { reason }),
    ...(isUncharged ? { saysUncharged: true } : {}),
  };
}

function readReceiptStatus(receipt: SettleResponse, expected: ExpectedReceipt): ResponseReading {
  const transaction = isTransactionHash(receipt.transaction) ? receipt.transaction : undefined;
  const base = { receipt, ...(transaction === undefined ? {} : { transaction }) };
  const status = statusOf(receipt);
  if (status === "confirmed") {
    const mismatch = mismatchOf(receipt, expected);
    if (mismatch === undefined) return { kind: "settled", ...base };
    return { kind: "lying_receipt", ...base, reason: mismatch };
  }
  const said = [receipt.errorReason, receipt.errorMessage].filter((text) => text !== undefined);
  const reason = quoteText(said.join(": "));
  return { kind: status === "pending" ? "pending" : "failed_receipt", ...base, reason };
}

/** Says what in a receipt of success is not our payment; undefined when all agrees. */
function mismatchOf(receipt: SettleResponse, expected: ExpectedReceipt): string | undefined {
  if (!isTransactionHash(receipt.transaction)) return "the receipt names no transaction";
  if (receipt.payer !== undefined && !isSameAddress(receipt.payer, expected.payer)) {
    return "the receipt names another payer";
  }
  if (findNetwork(receipt.network)?.id !== expected.network.id) {
    return "the receipt names another network";
  }
  if (receipt.amount !== undefined && parseUint256(receipt.amount) !== expected.amountUnits) {
    return `the receipt names another amount than ${formatUsdc(expected.amountUnits)} USDC`;
  }
  return undefined;
}

function kindOf(response: Response, isUncharged: boolean): ResponseKind {
  const { status } = response;
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) return "redirect";
  if (status < 300) return "served_without_receipt";
  if (status === 402) return "refused";
  if (status === 409) return "conflict";
  if (status === 425 || status === 429 || status === 503) return "busy";
  if (status < 500) return "client_error";
  return isUncharged ? "not_charged" : "server_error";
}

/** Whether the seller says that it took nothing. Only its word: the payment can still be taken. */
function saysUncharged({ status, headers }: Response, said: unknown): boolean {
  // Content that nobody was charged for is not what a payment was sent for.
  if (status < 400) return false;
  if (headers.get(headerNames.paymentCharged) === "no") return true;
  return isObject(said) && member(said, "error") === "not_charged";
}

/** Why a seller refused: the `error` of the challenge that came back, and its body's `message`. */
function reasonOf(response: Response, said: unknown): string | undefined {
  const header = response.headers.get(headerNames.paymentRequired);
  const decoded = header === null ? undefined : decodeHeader(header);
  const error = decoded && isObject(decoded.value) ? member(decoded.value, "error") : undefined;
  const message = isObject(said) ? member(said, "message") : undefined;
  const texts = [error, message].filter((text) => typeof text === "string");
  return texts.length > 0 ? quoteText(texts.join(": ")) : undefined;
}

/** Longest body that is looked at for a settle answer; such answers are a few hundred bytes. */
const receiptBytesMax = 32 * 1024;

/**
 * The JSON of a body, where it can be such an answer: some facilitators put the settle answer there,
 * with any status.
 */
async function readSmallJson(response: Response): Promise<unknown> {
  if (!/\bjson\b/i.test(response.headers.get("Content-Type") ?? "")) return undefined;
  // Content of unknown length may be a stream that goes on for hours; it is not waited for.
  const length = Number(response.headers.get("Content-Length") ?? "NaN");
  if (response.ok && !(length <= receiptBytesMax)) return undefined;
  const { body } = response.clone();
  try {
    return await readJsonAtMost(body, receiptBytesMax);
  } catch {
    // The connection broke; the sender of the request notices the same.
    return undefined;
  }
}

function isNo(receipt: SettleResponse): boolean {
  return !receipt.success && receipt.errorReason !== undefined;
}
