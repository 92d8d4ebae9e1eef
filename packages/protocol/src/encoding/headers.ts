/**
 * The headers of the exchange and their codec: base64 of compact JSON in pure ASCII. Version 1
 * clients decode with `atob` and would garble UTF-8, so other characters are JSON escapes.
 */
import { parseJson } from "./json.ts";

export const headerNames = {
  /** The challenge, version 2. */
  paymentRequired: "PAYMENT-REQUIRED",
  /** The payment: version 2, then version 1. */
  paymentSignature: "PAYMENT-SIGNATURE",
  xPayment: "X-PAYMENT",
  /** The receipt: version 2, then version 1. */
  paymentResponse: "PAYMENT-RESPONSE",
  xPaymentResponse: "X-PAYMENT-RESPONSE",
  /** Ours: `no` on a response for which the seller took no money and will take none. */
  paymentCharged: "X-Payment-Charged",
} as const;

/**
 * Longest header value that is decoded, in characters. Node and most proxies stop at 16 KiB for all
 * headers together; a payment is about 1.1 kB.
 */
export const headerCharsMax = 32 * 1024;

export function encodeHeader(value: unknown): string {
  const json = JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return btoa(json);
}

/** Decodes standard base64, padded or not, of UTF-8 JSON; undefined for anything else. */
export function decodeHeader(text: unknown): { readonly value: unknown } | undefined {
  if (typeof text !== "string") return undefined;
  if (text.length === 0 || text.length > headerCharsMax) return undefined;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const unpadded = text.replace(/=+$/, "");
  const isPadded = unpadded.length !== text.length;
  if (unpadded.length % 4 === 1 || (isPadded && text.length % 4 !== 0)) return undefined;
  const binary = atob(unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, "="));
  // Most clients escape what is not ASCII, and then the characters are the text already.
  if (!/[\u0080-\u00ff]/.test(binary)) return parseJson(binary);
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
