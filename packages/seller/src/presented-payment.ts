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

export type Presented =
  | { readonly kind: "none" }
  | { readonly kind: "payment"; readonly payment: Payment }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** Two different payments at once: proxies may disagree on which one counts. */
  | { readonly kind: "ambiguous" }
  | { readonly kind: "too_large" };

/** Reads the payment headers of both versions, which may hold the same signed authorization. */
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

/** Whether two payments are the same signed authorization on the same network. */
function isSamePayment(one: Payment, other: Payment): boolean {
  return signedPart(one) === signedPart(other);
}

function signedPart({ network, authorization, signature }: Payment): string {
  const signed = { authorization: toWireAuthorization(authorization), signature };
  return canonicalJson({ network: network.id, ...signed }).toLowerCase();
}

const notDecodable = "The payment header must be standard base64 of the JSON payment.";
