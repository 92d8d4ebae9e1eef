/**
 * Interprets the response to a paid request: what is known about the money, and how often the same
 * bytes are sent again. No rule requests another signature.
 */
import {
  defined,
  findNetwork,
  shortUsdc,
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

/** `pending` is the facilitator's report; `ambiguous` means unknown. */
export type KnownState = "settled" | "pending" | "ambiguous";

interface ResponseRule {
  readonly state: KnownState;
  /** Infinity means until `validBefore`. */
  readonly resendsMax: number;
  readonly code?: OutcomeCode;
}

/** A facilitator's fault looks like a refusal, so refusals are retried too. */
const rules = {
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
  // The seller's claim is no proof, but stopping loses nothing.
  not_charged: { state: "ambiguous", resendsMax: 2, code: "not_charged" },
  // A facilitator that is down: it may be back soon, and most of the payment's life is left.
  facilitator_down: { state: "ambiguous", resendsMax: 4, code: "not_charged" },
  redirect: { state: "ambiguous", resendsMax: 0, code: "redirected" },
  no_answer: { state: "ambiguous", resendsMax: Infinity, code: "no_answer" },
} as const satisfies Record<string, ResponseRule>;

export type ResponseKind = keyof typeof rules;
export const responseRules: Readonly<Record<ResponseKind, ResponseRule>> = rules;

export interface ExpectedReceipt {
  readonly payer: Address;
  readonly network: Network;
  readonly amountUnits: bigint;
}

export interface ResponseReading {
  readonly kind: ResponseKind;
  readonly receipt?: SettleResponse;
  /** The hash the seller named, whatever the state. */
  readonly transaction?: Hex;
  /** The seller's reason, safe to print. */
  readonly reason?: string;
  readonly saysUncharged?: true;
}

/** Does not consume the body. */
export async function readPaidResponse(
  response: Response,
  expected: ExpectedReceipt,
): Promise<ResponseReading> {
  const inHeaders = readReceipt(response.headers);
  if (inHeaders && !isRefusal(response, inHeaders)) return readReceiptStatus(inHeaders, expected);
  const body = await readSmallJson(response);
  const receipt = parseSettleResponse(body);
  // A body is the seller's content, never proof of payment: only a "not yet" or a "no" counts.
  const isNo = receipt?.success === false && receipt.errorReason !== undefined;
  if (isNo) return readReceiptStatus(receipt, expected);
  const isUncharged = saysUncharged(response, body);
  const isDown = isUncharged && response.status === 503 && saysDown(body);
  const kind = isDown ? "facilitator_down" : kindOf(response, isUncharged);
  const isExplained = kind === "refused" || kind === "busy" || kind === "facilitator_down";
  const reason = isExplained ? reasonOf(response, body) : undefined;
  return { kind, ...defined({ reason, saysUncharged: isUncharged || undefined }) };
}

/** A 402 whose receipt names no transaction says no more than its challenge. */
function isRefusal({ status }: Response, receipt: SettleResponse): boolean {
  return status === 402 && receipt.transaction === "" && statusOf(receipt) === "failed";
}

function readReceiptStatus(receipt: SettleResponse, expected: ExpectedReceipt): ResponseReading {
  const transaction = isTransactionHash(receipt.transaction) ? receipt.transaction : undefined;
  const base = { receipt, ...defined({ transaction }) };
  const status = statusOf(receipt);
  if (status === "confirmed") {
    const mismatch = mismatchOf(receipt, expected);
    if (mismatch === undefined) return { kind: "settled", ...base };
    return { kind: "lying_receipt", ...base, reason: mismatch };
  }
  const texts = [receipt.errorReason, receipt.errorMessage].filter((text) => text !== undefined);
  const reason = quoteText(texts.join(": "));
  return { kind: status === "pending" ? "pending" : "failed_receipt", ...base, reason };
}

/** The difference between a receipt of success and our payment; undefined when there is none. */
function mismatchOf(receipt: SettleResponse, expected: ExpectedReceipt): string | undefined {
  if (!isTransactionHash(receipt.transaction)) return "the receipt names no transaction";
  if (receipt.payer !== undefined && !isSameAddress(receipt.payer, expected.payer)) {
    return "the receipt names another payer";
  }
  if (findNetwork(receipt.network)?.id !== expected.network.id) {
    return "the receipt names another network";
  }
  if (receipt.amount !== undefined && parseUint256(receipt.amount) !== expected.amountUnits) {
    return `the receipt names another amount than ${shortUsdc(expected.amountUnits)} USDC`;
  }
  return undefined;
}

export function kindOf(response: Response, isUncharged: boolean): ResponseKind {
  const { status } = response;
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) return "redirect";
  if (status < 300) return "served_without_receipt";
  if (status === 402) return "refused";
  if (status === 409) return "conflict";
  if (status === 425 || status === 429 || status === 503) return "busy";
  if (status < 500) return "client_error";
  return isUncharged ? "not_charged" : "server_error";
}

/** Only the seller's word: the payment can still be taken. */
function saysUncharged({ status, headers }: Response, body: unknown): boolean {
  // Free content is not what a payment was sent for.
  if (status < 400) return false;
  if (headers.get(headerNames.paymentCharged) === "no") return true;
  return isObject(body) && member(body, "error") === "not_charged";
}

/** Whether the seller cannot sell at the moment, for which it names its facilitator or account. */
function saysDown(body: unknown): boolean {
  const error = isObject(body) ? member(body, "error") : undefined;
  return error === "facilitator_unavailable" || error === "seller_account_problem";
}

/** The `error` of the new challenge and the body's `message`. */
function reasonOf(response: Response, body: unknown): string | undefined {
  const header = response.headers.get(headerNames.paymentRequired);
  const decoded = header === null ? undefined : decodeHeader(header);
  const error = decoded && isObject(decoded.value) ? member(decoded.value, "error") : undefined;
  const message = isObject(body) ? member(body, "message") : undefined;
  const texts = [error, message].filter((text) => typeof text === "string");
  return texts.length > 0 ? quoteText(texts.join(": ")) : undefined;
}

/** Settle responses are a few hundred bytes. */
const receiptBytesMax = 32 * 1024;

/** Some facilitators put the settle response into the body, with any status. */
async function readSmallJson(response: Response): Promise<unknown> {
  if (!/\bjson\b/i.test(response.headers.get("Content-Type") ?? "")) return undefined;
  // Content of unknown length may be an endless stream; it is not awaited.
  const length = Number(response.headers.get("Content-Length") ?? "NaN");
  if (response.ok && !(length <= receiptBytesMax)) return undefined;
  const { body } = response.clone();
  try {
    return await readJsonAtMost(body, receiptBytesMax);
  } catch {
    // The connection broke, which the sender of the request notices as well.
    return undefined;
  }
}
