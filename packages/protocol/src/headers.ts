/**
 * The headers of the exchange and their codec: base64 (standard alphabet) of compact JSON.
 * Written as pure ASCII, other characters as JSON escapes: version 1 clients decode with `atob`
 * and would garble UTF-8, version 2 clients decode UTF-8; escapes read the same in both.
 */
import { parseJson } from "./json.ts";

/** Header names as they are written; they are compared without case. */
export const headerNames = {
  /** The challenge, version 2. */
  paymentRequired: "PAYMENT-REQUIRED",
  /** The payment: version 2, then version 1. */
  paymentSignature: "PAYMENT-SIGNATURE",
  xPayment: "X-PAYMENT",
  /** The receipt: version 2, then version 1. */
  paymentResponse: "PAYMENT-RESPONSE",
  xPaymentResponse: "X-PAYMENT-RESPONSE",
  /** Ours: `no` on an answer for which the seller took no money and will take none. */
  paymentCharged: "X-Payment-Charged",
} as const;

/**
 * Longest header value that is decoded, in characters. Node and most proxies stop at 16 KiB for
 * all headers together; a payment is about 1.1 kB, one with a bazaar schema a few.
 */
export const headerCharsMax = 32 * 1024;

/** Encodes a JSON value for a header. */
export function encodeHeader(value: unknown): string {
  const json = JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return btoa(json);
}

/**
 * Decodes a header value. Standard alphabet only, padded or not; UTF-8; JSON of bounded depth.
 * Undefined for everything else: base64url, junk, broken UTF-8, too long.
 */
export function decodeHeader(text: unknown): { readonly value: unknown } | undefined {
  if (typeof text !== "string") return undefined;
  if (text.length === 0 || text.length > headerCharsMax) return undefined;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const unpadded = text.replace(/=+$/, "");
  const isPadded = unpadded.length !== text.length;
  if (unpadded.length % 4 === 1 || (isPadded && text.length % 4 !== 0)) return undefined;
  const binary = atob(unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, "="));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
