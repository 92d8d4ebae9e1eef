import {
  canonicalJson,
  decodeHeader,
  headerCharsMax,
  headerNames,
  isChannelPayment,
  parseChannelPayment,
  parsePayment,
  refusal,
  toWireAuthorization,
  type ChannelOutcome,
  type ChannelPayment,
  type Payment,
  type Refusal,
} from "@farthing/protocol";
import type { RequestRefusal } from "./responses.ts";

export type Presented =
  | { readonly kind: "none" }
  | { readonly kind: "payment"; readonly payment: Payment }
  /** `refusal` is for routes without channels. */
  | {
      readonly kind: "channel";
      readonly message: ChannelOutcome<ChannelPayment>;
      readonly refusal: Refusal;
    }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | ({ readonly kind: "unreadable" } & RequestRefusal);

/** Two different payments at once: proxies may disagree on which one counts. */
const ambiguous = {
  kind: "unreadable",
  status: 400,
  error: "ambiguous_payment",
  message: "Send one payment; in both headers only the same one.",
} as const;

const tooLarge = {
  kind: "unreadable",
  status: 431,
  error: "payment_header_too_large",
  message: "The payment header is too long.",
} as const;

/** Reads the payment headers of both versions, which may hold the same signed authorization. */
export function readPresentedPayment(headers: Headers): Presented {
  const first = readHeader(headers.get(headerNames.paymentSignature));
  const second = readHeader(headers.get(headerNames.xPayment));
  if (first.kind === "none") return second;
  if (second.kind === "none") return first;
  if (first === tooLarge || second === tooLarge) return tooLarge;
  if (first.kind !== "payment" || second.kind !== "payment") return ambiguous;
  return signedPart(first.payment) === signedPart(second.payment) ? first : ambiguous;
}

function readHeader(value: string | null): Presented {
  const text = value?.trim() ?? "";
  if (text === "") return { kind: "none" };
  // A header sent twice arrives joined by a comma, which base64 does not contain.
  if (text.includes(",")) return ambiguous;
  if (text.length > headerCharsMax) return tooLarge;
  const decoded = decodeHeader(text);
  if (!decoded) return { kind: "refused", refusal: refusal("invalid_payload", notDecodable) };
  const parsed = parsePayment(decoded.value);
  if (!parsed.ok && isChannelPayment(decoded.value)) {
    const message = parseChannelPayment(decoded.value);
    return { kind: "channel", message, refusal: parsed.refusal };
  }
  return parsed.ok
    ? { kind: "payment", payment: parsed.value }
    : { kind: "refused", refusal: parsed.refusal };
}

/** Returns what two headers with the same payment have in common, as text. */
function signedPart({ network, authorization, signature }: Payment): string {
  const signed = { authorization: toWireAuthorization(authorization), signature };
  return canonicalJson({ network: network.id, ...signed }).toLowerCase();
}

const notDecodable = "The payment header must be standard base64 of the JSON payment.";
