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
  readRequestBinding,
  refuse,
  toWirePayment,
  withoutPaymentIdentifier,
  withoutRequestBinding,
  type JsonObject,
  type Outcome,
  type Payment,
  type RefundablePayment,
  type Requirements,
} from "@farthing/protocol";
import { sha256, sha256OfText } from "../sha256.ts";
import type { Binding } from "../payment-records/rules/payment-records.ts";

export interface BoundRequest {
  readonly method: string;
  /** Full address with its query. */
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** What else the response depends on. */
  readonly boundTo?: string;
}

/** The year 9999, which any clock represents safely. */
export const maxTimeMs = 253_402_300_799_000;

export async function bind(
  request: BoundRequest,
  payment: Payment,
  offer: Requirements,
): Promise<Binding> {
  const { from, nonce, validBefore } = payment.authorization;
  const [bodyHash, payload, earlierPayload] = await Promise.all([
    sha256(request.body),
    sha256OfText(canonicalJson(toWirePayment(withoutIdentifier(withoutProof(payment))))),
    sha256OfText(canonicalJson(toEarlierPayment(payment))),
  ]);
  return {
    key: paymentKey({ network: offer.network, asset: offer.asset, payer: from, nonce }),
    fingerprint: await fingerprintOf(request, bodyHash, [offer.payTo, offer.amount.toString()]),
    payload,
    earlierPayload,
    validBeforeMs: Math.min(Number(validBefore) * 1000, maxTimeMs),
  };
}

/** Returns the key of a payment's record, under which its refunds find it too. */
export function paymentKey(
  paid: Pick<RefundablePayment, "asset" | "network" | "nonce" | "payer">,
): string {
  return [paid.network.id, paid.asset, paid.payer, paid.nonce].join("/").toLowerCase();
}

/** Binds one use of a pass to its request by the `Idempotency-Key`, so that a repeat takes no other. */
export async function bindUse(
  request: BoundRequest,
  pass: { readonly id: string; readonly expiresAtMs: number },
  idempotencyKey: string,
): Promise<Binding> {
  return {
    key: `pass/${pass.id}/${await sha256OfText(idempotencyKey)}`,
    fingerprint: await fingerprintOf(request, await sha256(request.body), []),
    payload: "pass",
    validBeforeMs: pass.expiresAtMs,
  };
}

export async function fingerprintOf(
  { method, url: address, boundTo }: BoundRequest,
  bodyHash: string,
  terms: readonly string[],
): Promise<string> {
  const { host, pathname, search } = new URL(address);
  const parts = [method.toUpperCase(), host, pathname, search, bodyHash, ...terms];
  // As JSON, so that no two lists of parts have the same text.
  return sha256OfText(JSON.stringify(boundTo === undefined ? parts : [...parts, boundTo]));
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

/** A record is of the payment, with or without the name that its buyer gives it. */
function withoutIdentifier({ extensions, ...payment }: Payment): Payment {
  return { ...payment, ...defined({ extensions: withoutPaymentIdentifier(extensions) }) };
}

/** Hashes the caller's credentials. Not part of the binding, since a session may change. */
export async function audienceOf({ headers }: Request): Promise<string | undefined> {
  const credentials = [headers.get("Authorization"), headers.get("Cookie")];
  const hasNone = credentials.every((one) => one === null);
  return hasNone ? undefined : sha256OfText(JSON.stringify(credentials));
}

export async function hashOf(text: string | null | undefined): Promise<string | undefined> {
  return text ? sha256OfText(text) : undefined;
}
