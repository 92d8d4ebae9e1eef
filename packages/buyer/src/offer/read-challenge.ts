/**
 * Reads the challenge of a 402: the `PAYMENT-REQUIRED` header first, then a JSON body. Both give
 * offers, the header's before the body's; what does not parse is kept with its reason and spoils
 * nothing. Texts of the seller are data: nothing in them changes an amount, a payee or a limit.
 */
import {
  decodeHeader,
  headerNames,
  isObject,
  member,
  parseChallenge,
  parseJson,
  type Challenge,
  type JsonObject,
  type Requirements,
} from "@farthing/protocol";
import type { RefusalCode } from "../payment-error.ts";
import { readAtMost } from "../replayable-request.ts";

/** Longest body that is read as a challenge; a dual challenge with schemas is a few kilobytes. */
export const challengeBytesMax = 32 * 1024;

/** One entry of `accepts[]`, read or not. */
export interface Offer {
  readonly source: "header" | "body";
  /** Its place in the seller's list. */
  readonly index: number;
  /** The entry as received; a version 2 payment repeats it word for word. */
  readonly raw: JsonObject;
  /** Absent when the entry does not parse. */
  readonly requirements?: Requirements;
  /** Why it does not parse. */
  readonly refusal?: { readonly code: RefusalCode; readonly message: string };
  /** What the challenge around the entry carries. */
  readonly resource?: JsonObject;
  readonly extensions?: JsonObject;
}

/** Everything a 402 offers. */
export interface ChallengeReading {
  readonly offers: readonly Offer[];
  /** Why there is no offer at all, or why one of the sources was left aside. */
  readonly complaints: readonly string[];
}

/** Reads a 402 and consumes its body. Never throws for what the seller wrote. */
export async function readChallenge(response: Response): Promise<ChallengeReading> {
  const header = readHeader(response.headers.get(headerNames.paymentRequired));
  // A header sent twice arrives joined by a comma. Which of the two is meant is nobody's guess.
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

function offersOf(source: Offer["source"], value: unknown): Offer[] {
  const parsed = parseChallenge(value);
  if (!parsed.ok) return [];
  const { entries, skipped } = parsed.value;
  const around = aroundOf(parsed.value);
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

function aroundOf(challenge: Challenge): Pick<Offer, "resource" | "extensions"> {
  const { resource, extensions } = challenge;
  return {
    ...(resource === undefined ? {} : { resource }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

function refusalCodeOf(code: string): RefusalCode {
  return code === "unsupported_network" ? "network_not_allowed" : "challenge_invalid";
}

/** More digits than any sum of USDC; the token's own supply has fewer than 20. */
const amountDigits = /^[0-9]{1,30}$/;

/** Tells whether an amount is digits of base units above 0, as the wire demands. */
export function isAmountText(value: unknown): value is string {
  return typeof value === "string" && amountDigits.test(value) && BigInt(value) > 0n;
}

function isAmountBroken(raw: JsonObject): boolean {
  const network = member(raw, "network");
  const isVersion2 = typeof network === "string" && network.includes(":");
  return !isAmountText(member(raw, isVersion2 ? "amount" : "maxAmountRequired"));
}

/** The longest piece of a seller's text that is repeated in a message. */
const quotedCharsMax = 200;

/** A seller's text made safe to print: no control characters, bounded. */
export function quoteText(text: string): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").trim();
  return clean.length > quotedCharsMax ? `${clean.slice(0, quotedCharsMax)}…` : clean;
}
