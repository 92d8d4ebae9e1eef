/**
 * Binds a payment to one request. Anyone can rebuild a settled payment from the chain, so the
 * fingerprint covers the whole request. A bound payment's nonce commits to it; its salt opens that.
 */
import {
  accept,
  bindingNonce,
  bodyHashOf,
  canonicalJson,
  defined,
  hexDigits,
  readRequestBinding,
  refuse,
  toWirePayment,
  withoutRequestBinding,
  type JsonObject,
  type Outcome,
  type Payment,
  type Requirements,
} from "@farthing/protocol";
import type { Binding } from "../payment-records/payment-records.ts";

export interface BoundRequest {
  readonly method: string;
  /** Full address with its query. */
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** What else the response depends on. */
  readonly boundTo?: string;
}

/** The year 9999, which any clock represents safely. */
const maxTimeMs = 253_402_300_799_000;

export async function bind(
  request: BoundRequest,
  payment: Payment,
  offer: Requirements,
): Promise<Binding> {
  const { from, nonce, validBefore } = payment.authorization;
  const url = new URL(request.url);
  const [bodyHash, payload, earlierPayload] = await Promise.all([
    sha256(request.body),
    sha256(encode(canonicalJson(toWirePayment(withoutProof(payment))))),
    sha256(encode(canonicalJson(toEarlierPayment(payment)))),
  ]);
  const parts = [
    request.method.toUpperCase(),
    url.host,
    url.pathname,
    url.search,
    bodyHash,
    offer.payTo,
    offer.amount.toString(),
    ...(request.boundTo === undefined ? [] : [request.boundTo]),
  ];
  return {
    key: [offer.network.id, offer.asset, from, nonce].join("/").toLowerCase(),
    // As JSON, so that no two lists of parts have the same text.
    fingerprint: await sha256(encode(JSON.stringify(parts))),
    payload,
    earlierPayload,
    validBeforeMs: Math.min(Number(validBefore) * 1000, maxTimeMs),
  };
}

/** What the nonce of a bound payment commits to. */
export interface BindingSubject {
  /** HTTP method; `MCP` for the call of a tool. */
  readonly method: string;
  readonly body: Uint8Array;
}

/** Whether the payment is bound to this request; a binding to another one is refused. */
export function checkRequestBinding(
  payment: Payment,
  { method, url, body }: BindingSubject & { readonly url: string },
): Outcome<boolean> {
  const { salt } = readRequestBinding(payment.extensions);
  if (salt === undefined) return accept(false);
  const { to: payTo, nonce } = payment.authorization;
  const bodyHash = bodyHashOf(body);
  const expected = bindingNonce({ salt, method: method.toUpperCase(), url, bodyHash, payTo });
  return expected === nonce ? accept(true) : refuse("binding_mismatch");
}

/** Returns the payment as sellers hashed it before 0.1.0: with extensions, v2 without a scheme. */
function toEarlierPayment(payment: Payment): JsonObject {
  const { scheme, network, ...others }: JsonObject = { ...toWirePayment(payment) };
  return payment.shape === "v2" ? others : { ...others, scheme, network };
}

/** Removes token and salt, which prove who repeats the payment and are for this seller only. */
export function withoutProof({ extensions, ...payment }: Payment): Payment {
  return { ...payment, ...defined({ extensions: withoutRequestBinding(extensions) }) };
}

/** Hashes the caller's credentials. Not part of the binding, since a session may change. */
export async function audienceOf({ headers }: Request): Promise<string | undefined> {
  const credentials = [headers.get("Authorization"), headers.get("Cookie")];
  const hasNone = credentials.every((one) => one === null);
  return hasNone ? undefined : sha256(encode(JSON.stringify(credentials)));
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

export async function hashOf(text: string | null | undefined): Promise<string | undefined> {
  return text ? sha256(encode(text)) : undefined;
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return hexDigits(digest);
}
