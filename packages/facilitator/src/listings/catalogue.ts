/**
 * What is said to a payment that comes with extensions. Only `bazaar` is processed here; about every
 * other extension nothing is said, since stock sellers log a rejection for each payment. Nothing is
 * taken into the catalogue: whoever sends a payment is not the seller. What the seller has listed
 * is named instead, with where it stands, so that nobody has to guess why something is not found.
 */
import { isObject, member, parseWireAddress, type JsonObject } from "@farthing/protocol";
import { isPublic, listingMethods, type Listing } from "../model/listing.ts";
import type { ListingVerbs } from "../storage/listing-store.ts";

/** What is said to one extension. */
export interface ExtensionAnswer {
  readonly status: "success" | "processing" | "rejected";
  /** For people. */
  readonly rejectedReason?: string;
  /** For programs. */
  readonly code?: string;
}

/** What is said to all of them, by their names. */
export type ExtensionAnswers = Readonly<Record<string, ExtensionAnswer>>;

/** Answers the extensions of the body of /verify or /settle; undefined when none is ours. */
export type AnswerExtensions = (body: unknown) => Promise<ExtensionAnswers | undefined>;

/** Creates the function. Without a store there is no catalogue. Throws the store's fault. */
export function createCatalogue(
  store: Pick<ListingVerbs, "findListingOf"> | undefined,
): AnswerExtensions {
  return async (body) => {
    const payload = objectAt(body, "paymentPayload");
    const extensions = objectAt(payload, "extensions");
    if (!store || !payload || !extensions || !Object.hasOwn(extensions, "bazaar")) return undefined;
    return { bazaar: await answerBazaar(store, body, payload, extensions) };
  };
}

async function answerBazaar(
  store: Pick<ListingVerbs, "findListingOf">,
  body: unknown,
  payload: JsonObject,
  extensions: JsonObject,
): Promise<ExtensionAnswer> {
  const input = objectAt(objectAt(objectAt(extensions, "bazaar"), "info"), "input");
  const kind = input && member(input, "type");
  if (kind !== "http" && kind !== "mcp") {
    return rejected("invalid_extension", "bazaar has no info.input of type http or mcp.");
  }
  if (kind === "mcp") return rejected("not_http", "Only HTTP endpoints can be listed here.");
  const requirements = objectAt(body, "paymentRequirements");
  const payTo = parseWireAddress(requirements && member(requirements, "payTo"));
  const resource = objectAt(payload, "resource");
  const named =
    (resource && member(resource, "url")) ?? (requirements && member(requirements, "resource"));
  const url = typeof named === "string" ? URL.parse(named) : null;
  if (!payTo || !url) {
    return rejected("no_resource", "The payment does not name its resource by a URL.");
  }
  const method = listingMethods.find((one) => one === (input && member(input, "method")));
  // What stands behind a proxy calls itself http; what is listed is https, whatever it says.
  const canonical = `https://${url.host}${url.pathname}`;
  const listing = await store.findListingOf(payTo, { resource: canonical, method });
  return listing ? standingOf(listing) : rejected("not_listed", notListed);
}

const notListed =
  "The payee has not listed this endpoint; it is listed on the dashboard or by POST /v1/account/listings, not by payments.";

function standingOf({ check }: Listing): ExtensionAnswer {
  if (isPublic(check)) return { status: "success" };
  if (check.state === "pending" || check.state === "failing") {
    return { status: "processing", code: check.state };
  }
  const why = check.state === "blocked" ? "The operator has blocked it." : check.message;
  return rejected(check.state, why);
}

function rejected(code: string, rejectedReason: string): ExtensionAnswer {
  return { status: "rejected", rejectedReason, code };
}

function objectAt(value: unknown, key: string): JsonObject | undefined {
  const inner = isObject(value) ? member(value, key) : undefined;
  return isObject(inner) ? inner : undefined;
}
