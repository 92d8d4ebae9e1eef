/**
 * Reads the challenge of a 402: the `PAYMENT-REQUIRED` header first, then a JSON body. The seller's
 * texts are data: nothing in them changes an amount, a payee or a limit.
 */
import {
  decodeHeader,
  defined,
  headerNames,
  isObject,
  member,
  parseChallenge,
  parseJson,
  type JsonObject,
  type Requirements,
} from "@farthing/protocol";
import type { RefusalCode } from "../payment-error.ts";
import { readAtMost } from "../replayable-request.ts";

/** A dual challenge with schemas is a few kilobytes. */
export const challengeBytesMax = 32 * 1024;

/** One entry of `accepts[]`, parsed or not. */
export interface Offer {
  readonly source: "header" | "body";
  /** In the seller's list. */
  readonly index: number;
  /** As received; a version 2 payment repeats it unchanged. */
  readonly raw: JsonObject;
  /** Absent when the entry does not parse. */
  readonly requirements?: Requirements;
  readonly refusal?: { readonly code: RefusalCode; readonly message: string };
  /** From the challenge around the entry. */
  readonly resource?: JsonObject;
  readonly extensions?: JsonObject;
}

export interface ChallengeReading {
  readonly offers: readonly Offer[];
  /** Why there is no offer, or why one of the sources was ignored. */
  readonly complaints: readonly string[];
}

/** Consumes the body. Never throws for what the seller wrote. */
export async function readChallenge(response: Response): Promise<ChallengeReading> {
  const header = readHeader(response.headers.get(headerNames.paymentRequired));
  // A header sent twice arrives joined by a comma, and which one is meant is unknown.
  if (header.isDoubled) return { offers: [], complaints: [header.complaint ?? ""] };
  const body = await readBody(response);
  return {
    offers: [...offersOf("header", header.value), ...offersOf("body", body.value)],
    complaints: [header.complaint, body.complaint].filter((text) => text !== undefined),
  };
}

interface SourceReading {
  readonly value?: unknown;
  readonly complaint?: string;
  readonly isDoubled?: boolean;
}

function readHeader(text: string | null): SourceReading {
  if (text === null) return { complaint: "there is no PAYMENT-REQUIRED header" };
  if (text.includes(",")) {
    return { isDoubled: true, complaint: "the PAYMENT-REQUIRED header was sent more than once" };
  }
  const decoded = decodeHeader(text);
  if (decoded) return { value: decoded.value };
  const hint = /[-_]/.test(text) ? " (it is base64url; the standard alphabet is expected)" : "";
  return { complaint: `the PAYMENT-REQUIRED header is not base64 of JSON${hint}` };
}

async function readBody(response: Response): Promise<SourceReading> {
  if (response.body === null) return { complaint: "the body is empty" };
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readAtMost(response.body, challengeBytesMax);
  } catch {
    return { complaint: "the body was cut off" };
  }
  if (!bytes) return { complaint: `the body is longer than ${challengeBytesMax} bytes` };
  const parsed = parseJson(new TextDecoder().decode(bytes));
  return parsed ? { value: parsed.value } : { complaint: "the body is not JSON" };
}

/** Reads the offers of a challenge that was decoded; none when it is no challenge. */
export function offersOf(source: Offer["source"], value: unknown): Offer[] {
  const parsed = parseChallenge(value);
  if (!parsed.ok) return [];
  const { entries, skipped } = parsed.value;
  const { resource, extensions } = parsed.value;
  const around = defined({ resource, extensions });
  const list = isObject(value) ? member(value, "accepts") : undefined;
  const accepts: unknown[] = Array.isArray(list) ? list : [];
  const readable = entries.map(({ requirements, raw }) => ({
    source,
    index: accepts.indexOf(raw),
    raw,
    requirements,
    ...around,
  }));
  const broken = skipped.map(({ index, refusal }) => {
    const raw = accepts[index];
    const object = isObject(raw) ? raw : {};
    const code = isAmountBroken(object) ? "amount_unparseable" : refusalCodeOf(refusal.code);
    return { source, index, raw: object, refusal: { code, message: refusal.message }, ...around };
  });
  return [...readable, ...broken].sort((one, other) => one.index - other.index);
}

function refusalCodeOf(code: string): RefusalCode {
  return code === "unsupported_network" ? "network_not_allowed" : "challenge_invalid";
}

/** More digits than any sum of USDC; the token's own supply has fewer than 20. */
const amountDigits = /^[0-9]{1,30}$/;

/** Tells whether an amount is digits of base units above 0, as on the wire. */
export function isAmountText(value: unknown): value is string {
  return typeof value === "string" && amountDigits.test(value) && BigInt(value) > 0n;
}

function isAmountBroken(raw: JsonObject): boolean {
  const network = member(raw, "network");
  const isVersion2 = typeof network === "string" && network.includes(":");
  return !isAmountText(member(raw, isVersion2 ? "amount" : "maxAmountRequired"));
}

/** Longest part of a seller's text in a message. */
const quotedCharsMax = 200;

/** Makes a seller's text safe to print: no control characters, bounded. */
export function quoteText(text: string): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").trim();
  return clean.length > quotedCharsMax ? `${clean.slice(0, quotedCharsMax)}…` : clean;
}
