/**
 * The challenge of a 402. Stock version 2 buyers read only the `PAYMENT-REQUIRED` header, other
 * buyers the body; a dual challenge lists version 1 and then version 2 entries in the body and
 * carries the official version 2 object in the header.
 */
import { encodeHeader, headerNames } from "../encoding/headers.ts";
import {
  defined,
  isObject,
  member,
  objectMembers,
  textMembers,
  type JsonObject,
} from "../encoding/json.ts";
import { accept, refuse, type Outcome, type Refusal } from "../errors/refusals.ts";
import {
  parseRequirements,
  toRequirementsV1,
  toRequirementsV2,
  type Requirements,
} from "./requirements.ts";

export interface Resource {
  readonly url: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface ChallengeInput {
  /** Ways to pay; their order is kept. There is at least one here or below. */
  readonly offers: readonly Requirements[];
  /** Entries of other schemes, which only version 2 has; they follow the offers. */
  readonly more?: readonly ChallengedEntry[];
  readonly resource: Resource;
  /** Why there is no content; `Payment required` when no payment was presented. */
  readonly error?: string;
  /** `dual` speaks both versions, `v2-only` leaves version 1 out. */
  readonly mode?: "dual" | "v2-only";
  readonly extensions?: JsonObject;
}

/** An entry of any scheme, as it goes out. */
export type ChallengedEntry = JsonObject & { readonly amount: string };

export interface WireChallenge {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export function buildChallenge(input: ChallengeInput): WireChallenge {
  const { offers, more = [], resource, mode = "dual", error = "Payment required" } = input;
  const extensions = defined({ extensions: input.extensions });
  const written = [...offers.map((offer) => ({ ...toRequirementsV2(offer) })), ...more];
  const entries = written.map((entry) => withVersion1Members(entry, resource));
  const header = { x402Version: 2, error, resource, accepts: entries, ...extensions };
  // Entries in the body carry their version for readers of a mixed list. Those in the header do
  // not: stock clients would echo the unknown key in `accepted`.
  const versioned = entries.map((entry) => ({ x402Version: 2, ...entry }));
  const first = offers.map((offer) => toRequirementsV1(describe(offer, resource)));
  const body =
    mode === "dual"
      ? { x402Version: 1, error, accepts: [...first, ...versioned], ...extensions }
      : { x402Version: 2, error, resource, accepts: versioned, ...extensions };
  return {
    headers: {
      [headerNames.paymentRequired]: encodeHeader(header),
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
    },
    body,
  };
}

/**
 * Version 2 entries repeat at most this many characters of a resource: the header must stay below
 * the 16 kB that Node.js reads, with one entry for each network.
 */
const repeatedResourceCharsMax = 2_048;

/** Adds the members of version 1, without which some buyers (thirdweb 5.121) throw. */
function withVersion1Members(entry: ChallengedEntry, resource: Resource): JsonObject {
  const { url, description = "", mimeType = "" } = resource;
  if (url.length + description.length > repeatedResourceCharsMax) return entry;
  return { ...entry, maxAmountRequired: entry.amount, resource: url, description, mimeType };
}

function describe(offer: Requirements, resource: Resource): Requirements {
  const { url, description = "", mimeType = "" } = resource;
  const networkName = offer.network.label;
  return { ...offer, version: 1, networkName, resource: url, description, mimeType };
}

export interface ChallengeEntry {
  readonly requirements: Requirements;
  /** The entry as received: a version 2 payment echoes it in `accepted`. */
  readonly raw: JsonObject;
}

export interface Challenge {
  /** Entries that parse, in the seller's order. */
  readonly entries: readonly ChallengeEntry[];
  /** Entries that do not parse; they do not affect the others. */
  readonly skipped: readonly { readonly index: number; readonly refusal: Refusal }[];
  readonly resource?: JsonObject;
  readonly error?: string;
  readonly extensions?: JsonObject;
}

/** Further entries of a longer list are ignored. */
export const challengeEntriesMax = 32;

/** Reads a challenge, from a header or a body, whatever its top-level version says. */
export function parseChallenge(input: unknown): Outcome<Challenge> {
  if (!isObject(input)) return malformed("the challenge must be an object");
  const accepts = member(input, "accepts");
  if (!Array.isArray(accepts)) return malformed("the challenge has no list accepts");
  const entries: ChallengeEntry[] = [];
  const skipped: { index: number; refusal: Refusal }[] = [];
  for (const [index, raw] of (accepts as unknown[]).slice(0, challengeEntriesMax).entries()) {
    const parsed = parseRequirements(raw);
    if (!parsed.ok) skipped.push({ index, refusal: parsed.refusal });
    else if (isObject(raw)) entries.push({ requirements: parsed.value, raw });
  }
  return accept({
    entries,
    skipped,
    ...objectMembers(input, "resource", "extensions"),
    ...textMembers(input, "error"),
  });
}

function malformed(message: string) {
  return refuse("invalid_payment_requirements", `${message}.`);
}
