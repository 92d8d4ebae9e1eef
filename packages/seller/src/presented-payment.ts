/** The payment of a request: exactly one header, decoded and parsed. */
import {
  decodeHeader,
  headerCharsMax,
  headerNames,
  parsePayment,
  refusal,
  type Payment,
  type Refusal,
} from "@farthing/protocol";

/** What a request presents. */
export type Presented =
  | { readonly kind: "none" }
  | { readonly kind: "payment"; readonly payment: Payment }
  /** There is a payment and it cannot be read: a refusal like any other. */
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** Two payments at once: proxies may disagree which one counts, so neither does. */
  | { readonly kind: "ambiguous" }
  | { readonly kind: "too_large" };

/** Reads the payment header of either version; the payload's own version decides what it is. */
export function readPresentedPayment(headers: Headers): Presented {
  const second = headers.get(headerNames.paymentSignature);
  const first = headers.get(headerNames.xPayment);
  if (second !== null && first !== null) return { kind: "ambiguous" };
  const text = (second ?? first)?.trim();
  if (text === undefined || text === "") return { kind: "none" };
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

const notDecodable = "The payment header must be standard base64 of the JSON payment.";
