/** The payment of a request: one, in one header or in both, decoded and parsed. */
import {
  canonicalJson,
  decodeHeader,
  headerCharsMax,
  headerNames,
  parsePayment,
  refusal,
  toWireAuthorization,
  type Payment,
  type Refusal,
} from "@farthing/protocol";

/** What a request presents. */
export type Presented =
  | { readonly kind: "none" }
  | { readonly kind: "payment"; readonly payment: Payment }
  /** There is a payment and it cannot be read: a refusal like any other. */
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** Two different payments at once: proxies may disagree which one counts, so neither does. */
  | { readonly kind: "ambiguous" }
  | { readonly kind: "too_large" };

/**
 * Reads the payment header of either version; the payload's own version decides what it is. A buyer
 * may send the same signed authorization in both headers: then `PAYMENT-SIGNATURE` is read, which
 * is the one that carries extensions.
 */
export function readPresentedPayment(headers: Headers): Presented {
  const first = readHeader(headers.get(headerNames.paymentSignature));
  const second = readHeader(headers.get(headerNames.xPayment));
  if (first.kind === "none") return second;
  if (second.kind === "none") return first;
  if (first.kind === "too_large" || second.kind === "too_large") return { kind: "too_large" };
  if (first.kind !== "payment" || second.kind !== "payment") return { kind: "ambiguous" };
  return isSamePayment(first.payment, second.payment) ? first : { kind: "ambiguous" };
}

function readHeader(value: string | null): Presented {
  const text = value?.trim() ?? "";
  if (text === "") return { kind: "none" };
  // A header sent twice arrives joined by a comma, which base64 does not contain.
  if (text.includes(",")) return { kind: "ambiguous" };
  if (text.length > headerCharsMax) return { kind: "too_large" };
  const decoded = decodeHeader(text);
  if (!decoded) return { kind: "refused", refusal: refusal("invalid_payload", notDecodable) };
  const parsed = parsePayment(decoded.value);
  return parsed.ok
    ? { kind: "payment", payment: parsed.value }
    : { kind: "refused", refusal: parsed.refusal };
}

/** Whether two payments are one signed authorization on one network, whatever is written around it. */
function isSamePayment(one: Payment, other: Payment): boolean {
  return signedPart(one) === signedPart(other);
}

function signedPart({ network, authorization, signature }: Payment): string {
  const signed = { authorization: toWireAuthorization(authorization), signature };
  return canonicalJson({ network: network.id, ...signed }).toLowerCase();
}

const notDecodable = "The payment header must be standard base64 of the JSON payment.";
