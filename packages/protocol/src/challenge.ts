/**
 * The challenge of a 402: what a seller asks for, written for every kind of buyer and read back.
 *
 * Stock version 2 buyers read only the `PAYMENT-REQUIRED` header; hand-written and version 1
 * buyers read the body. A dual challenge gives both: the body lists the version 1 entries first
 * and the version 2 entries second, the header holds the official version 2 object.
 */
import { encodeHeader, headerNames } from "./headers.ts";
import { isObject, member, objectMember, textMember, type JsonObject } from "./json.ts";
import { accept, refuse, type Outcome, type Refusal } from "./refusals.ts";
import {
  parseRequirements,
  toRequirementsV1,
  toRequirementsV2,
  type Requirements,
} from "./requirements.ts";

/** What is sold, as shown to buyers. */
export interface Resource {
  readonly url: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** What a challenge says. */
export interface ChallengeInput {
  /** At least one way to pay; their order is kept. */
  readonly offers: readonly Requirements[];
  readonly resource: Resource;
  /** Why no content came; `Payment required` when nothing was presented. */
  readonly error?: string;
  /** `dual` speaks both versions, `v2-only` leaves version 1 out. */
  readonly mode?: "dual" | "v2-only";
  readonly extensions?: JsonObject;
}

/** A challenge ready to send with status 402. */
export interface WireChallenge {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** Builds the header and body of a 402. */
export function buildChallenge(input: ChallengeInput): WireChallenge {
  const { offers, resource, mode = "dual", error = "Payment required" } = input;
  const extensions = input.extensions === undefined ? {} : { extensions: input.extensions };
  const entries = offers.map((offer) => withVersion1Members(offer, resource));
  const header = { x402Version: 2, error, resource, accepts: entries, ...extensions };
  // Inside the body, entries carry their version so that a reader of a mixed list sees it. Not in
  // the header: stock clients would echo the unknown key in `accepted`.
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
 * Characters of a resource that version 2 entries repeat. Beyond that they leave it out: with an
 * entry for each network the header would outgrow the 16 kB that Node.js reads.
 */
const repeatedResourceCharsMax = 2_048;

/**
 * A version 2 entry with the members of version 1 beside its own. Buyers that parse every entry by
 * the older schema (thirdweb 5.121) throw without them; the others ignore them.
 */
function withVersion1Members(offer: Requirements, resource: Resource): JsonObject {
  const entry = toRequirementsV2(offer);
  const { url, description = "", mimeType = "" } = resource;
  if (url.length + description.length > repeatedResourceCharsMax) return { ...entry };
  return { ...entry, maxAmountRequired: entry.amount, resource: url, description, mimeType };
}

function describe(offer: Requirements, resource: Resource): Requirements {
  const { url, description = "", mimeType = "" } = resource;
  return {
    ...offer,
    version: 1,
    networkName: offer.network.label,
    resource: url,
    description,
    mimeType,
  };
}

/** One entry of a challenge that can be understood. */
export interface ChallengeEntry {
  readonly requirements: Requirements;
  /** The entry exactly as received: a version 2 payment echoes it in `accepted`. */
  readonly raw: JsonObject;
}

/** A challenge, read. */
export interface Challenge {
  /** Entries that parse, in the seller's order. */
  readonly entries: readonly ChallengeEntry[];
  /** Entries that do not, with the reason; they spoil nothing. */
  readonly skipped: readonly { readonly index: number; readonly refusal: Refusal }[];
  readonly resource?: JsonObject;
  readonly error?: string;
  readonly extensions?: JsonObject;
}

/** Most entries that are looked at; the rest of a longer list is ignored. */
export const challengeEntriesMax = 32;

/** Reads a challenge object (a decoded header or a body), whatever its top-level version says. */
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
    ...objectMember(input, "resource"),
    ...textMember(input, "error"),
    ...objectMember(input, "extensions"),
  });
}

function malformed(message: string) {
  return refuse("invalid_payment_requirements", `${message}.`);
}
