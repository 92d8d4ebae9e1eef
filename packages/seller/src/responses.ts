/** Responses other than the seller's content, and the headers of all: receipts, CORS, caches. */
import {
  balanceHeaders,
  buildChallenge,
  declareRequestBinding,
  defined,
  exposedHeaders,
  headerNames,
  isBodiless,
  isHexBytes,
  passHeaders,
  receiptHeaders,
  requestBindingKey,
  signInHeader,
  type ChallengedEntry,
  type JsonObject,
  type Refusal,
  type Requirements,
  type Resource,
  type SettleResponse,
} from "@farthing/protocol";
import { responseOfBytes } from "./body.ts";
import type { Balance } from "./payment-records/balances/balance-store.ts";
import { remainingOf } from "./payment-records/balances/balances.ts";
import type { Pass } from "./payment-records/passes/pass-store.ts";
import { randomHex } from "./payment-records/rules/proof.ts";
import { servedMethods, type AddressRefusal } from "./request-address.ts";
import type { ResponseCode } from "./response-codes.ts";

export interface ErrorBody {
  readonly error: ResponseCode;
  /** For people: what happened and what to do next. */
  readonly message: string;
  /** Whether the same request with the same payment can succeed later. */
  readonly retryable: boolean;
}

/** Headers that some caches obey before `Cache-Control` (RFC 9213, Fastly, nginx). */
const cacheHeaders = /^(?:(?:[\w-]+-)?cdn-cache-control|surrogate-control|x-accel-expires)$/;

export function isForCaches(name: string): boolean {
  return cacheHeaders.test(name.toLowerCase());
}

/** What is needed of headers to change them; `Headers` are such. */
export interface WritableHeaders extends Pick<Headers, "delete" | "get" | "set"> {
  keys(): Iterable<string>;
}

/** For content that is sold: a cache would hand it out without a payment. */
export function forbidCaching(headers: WritableHeaders): void {
  for (const name of Array.from(headers.keys()).filter(isForCaches)) headers.delete(name);
  headers.set("Cache-Control", "private, no-store");
}

/** Headers that only the exchange may write. */
const exchangeHeaders = exposedHeaders.filter((name) => name !== "Retry-After");

/** Headers that a browser's script may send. Stock buyers send the last one. */
const allowedHeaders = [
  "Content-Type",
  headerNames.paymentSignature,
  headerNames.xPayment,
  passHeaders.token,
  signInHeader,
  "Idempotency-Key",
  "Access-Control-Expose-Headers",
];

/** Lifetime of a preflight in the browser: one visit. */
const maxPreflightSeconds = 600;

export interface ChallengeTerms {
  readonly offers: readonly Requirements[];
  readonly resource: Resource;
  readonly mode: "dual" | "v2-only";
  /** The entries of the route's channels. `isOnly`: there are no single payments. */
  readonly channels?: {
    readonly entries: readonly ChallengedEntry[];
    readonly isOnly: boolean;
  };
  /** Declared beside the seller's own. */
  readonly extensions?: JsonObject;
}

/** Asks for a payment; `why` explains the refusal of the presented one. */
export function challenge(
  terms: ChallengeTerms,
  why?: { readonly error: string; readonly message?: string },
  receipt?: SettleResponse,
): Response {
  const { headers, text } = writeChallenge(terms, randomHex(), why);
  const receipts = receipt && receiptHeaders(compact(receipt));
  return new Response(text, { status: 402, headers: { ...headers, ...receipts } });
}

/** The headers and the body of a challenge. With the token a buyer proves that a repeat is theirs. */
export function writeChallenge(
  terms: ChallengeTerms,
  token: string,
  why?: { readonly error: string; readonly message?: string },
) {
  const { channels, ...rest } = terms;
  const { headers, body } = buildChallenge({
    ...rest,
    offers: channels?.isOnly === true ? [] : terms.offers,
    more: channels?.entries ?? [],
    ...defined({ error: why?.error }),
    extensions: { ...terms.extensions, [requestBindingKey]: declareRequestBinding(token) },
  });
  return { headers, text: JSON.stringify({ ...body, message: why?.message }) };
}

export function reasonOf(refusal: Refusal): { error: string; message: string } {
  return { error: refusal.code, message: refusal.message };
}

/** Responds with an error and without a challenge, so that no buyer signs again. */
export function errorResponse(
  status: number,
  body: ErrorBody,
  more: { readonly receipt?: SettleResponse; readonly retryAfterSeconds?: number } = {},
): Response {
  const headers = new Headers({ "Content-Type": "application/json", "Cache-Control": "no-store" });
  if (more.retryAfterSeconds !== undefined) headers.set("Retry-After", `${more.retryAfterSeconds}`);
  if (more.receipt) addReceipt(headers, more.receipt);
  if (body.error === "not_charged") headers.set(headerNames.paymentCharged, "no");
  return new Response(JSON.stringify(body), { status, headers });
}

type AppResponse = Pick<Response, "status" | "headers">;

export function refuseAddress(refusal: AddressRefusal): Response {
  const response = refuseRequest(refusal);
  if (refusal.status === 405) response.headers.set("Allow", servedMethods.join(", "));
  return response;
}

export interface RequestRefusal extends Omit<ErrorBody, "retryable"> {
  readonly status: number;
}

export function refuseRequest({ status, error, message }: RequestRefusal): Response {
  return errorResponse(status, { error, message, retryable: false });
}

/** Returns the seller's content with the receipts, without headers of the exchange's own. */
export function content(response: AppResponse, body: BodyInit | null, receipt?: SettleResponse) {
  const headers = unforged(response.headers);
  if (receipt) addReceipt(headers, receipt);
  return toResponse(response.status, headers, body);
}

/** Headers that lead to content, also by a proxy in front; not for uncharged responses. */
const leadingHeaders = [
  "Location",
  "Content-Location",
  "Refresh",
  "Link",
  "X-Accel-Redirect",
  "X-Sendfile",
  "X-LiteSpeed-Location",
];

/** Returns a response of the seller's code that was not charged for, without a receipt. */
export function uncharged(response: AppResponse, body: BodyInit | null): Response {
  const headers = unforged(response.headers);
  for (const name of leadingHeaders) headers.delete(name);
  headers.set(headerNames.paymentCharged, "no");
  return toResponse(response.status, headers, body);
}

function unforged(given: Headers): Headers {
  const headers = new Headers(given);
  dropForged(headers);
  return headers;
}

/** Takes out what only the exchange may write. */
export function dropForged(headers: WritableHeaders): void {
  for (const name of exchangeHeaders) headers.delete(name);
}

function toResponse(status: number, headers: Headers, body: BodyInit | null): Response {
  forbidCaching(headers);
  if (isBodiless(status)) return new Response(null, { status, headers });
  const isBytes = body instanceof Uint8Array && body.buffer instanceof ArrayBuffer;
  return isBytes
    ? responseOfBytes(new Uint8Array(body.buffer, body.byteOffset, body.byteLength), {
        status,
        headers,
      })
    : new Response(body, { status, headers });
}

export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": servedMethods.join(", "),
      "Access-Control-Allow-Headers": allowedHeaders.join(", "),
      "Access-Control-Max-Age": `${maxPreflightSeconds}`,
    },
  });
}

/** Adds CORS, and tells caches to consider the payment. */
export function addCommonHeaders(headers: WritableHeaders, allowOrigin: string | false): void {
  addTokens(headers, "Vary", [headerNames.paymentSignature, headerNames.xPayment]);
  if (allowOrigin !== false) {
    if (headers.get("Access-Control-Allow-Origin") === null) {
      headers.set("Access-Control-Allow-Origin", allowOrigin);
      if (allowOrigin !== "*") addTokens(headers, "Vary", ["Origin"]);
    }
    addTokens(headers, "Access-Control-Expose-Headers", exposedHeaders);
  }
}

/** Tells caches that a response depends on a token or a sign-in. */
export function addTokenVary(headers: WritableHeaders): void {
  addTokens(headers, "Vary", [passHeaders.token, signInHeader]);
}

/** Adds tokens to a header that lists them, each once. */
export function addTokens(headers: WritableHeaders, name: string, tokens: readonly string[]): void {
  const before = headers.get(name);
  if (before === null) return headers.set(name, tokens.join(", "));
  const present = before.split(",").map((token) => token.trim());
  const known = new Set(present.map((token) => token.toLowerCase()));
  if (known.has("*") && name.toLowerCase() === "vary") return;
  const added = tokens.filter((token) => !known.has(token.toLowerCase()));
  headers.set(name, [...present.filter((token) => token !== ""), ...added].join(", "));
}

/** Tells what is left of a pass. */
export function addPass(
  headers: WritableHeaders,
  pass: Pick<Pass, "usesLeft" | "expiresAtMs">,
): void {
  headers.set(passHeaders.remaining, `${pass.usesLeft}`);
  headers.set(passHeaders.expires, new Date(pass.expiresAtMs).toISOString());
}

/** Tells what is left of a balance, and what the request has cost where that is known. */
export function addBalance(headers: Headers, balance: Balance, cost?: bigint): void {
  headers.set(balanceHeaders.remaining, `${remainingOf(balance)}`);
  if (cost !== undefined) headers.set(balanceHeaders.cost, `${cost}`);
}

export function addReceipt(headers: Headers, receipt: SettleResponse): void {
  for (const [name, value] of Object.entries(receiptHeaders(compact(receipt)))) {
    headers.set(name, value);
  }
}

/** Common proxies allow 8 KiB for the headers of a response; the receipt goes out twice. */
const maxReceiptChars = 2048;

/** Keeps a receipt small enough for a header: the facts stay, extensions go first. */
function compact(receipt: SettleResponse): SettleResponse {
  if (JSON.stringify(receipt).length <= maxReceiptChars) return receipt;
  const { extensions: _extensions, extra, errorMessage, ...facts } = receipt;
  const { settlementId, nonce, logIndex, passId, balanceId } = extra ?? {};
  const names = defined({
    settlementId: typeof settlementId === "string" ? settlementId : undefined,
    // Several payments can share a transaction; these two identify one.
    nonce: isHexBytes(nonce, 32) ? nonce : undefined,
    logIndex: typeof logIndex === "number" ? logIndex : undefined,
    passId: typeof passId === "string" ? passId : undefined,
    balanceId: typeof balanceId === "string" ? balanceId : undefined,
  });
  const hasNames = Object.keys(names).length > 0;
  const short = { errorMessage: errorMessage?.slice(0, 300), extra: hasNames ? names : undefined };
  return { ...facts, ...defined(short) };
}
