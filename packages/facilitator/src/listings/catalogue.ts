/**
 * What is said to a payment that comes with extensions. Nothing of it is taken into the catalogue:
 * whoever sends a payment is not the seller. What the seller has listed himself is named instead,
 * with where it stands, so that nobody has to guess why something is not found.
 */
import { isObject, member, parseWireAddress, type JsonObject } from "@farthing/protocol";
import { isPublic, listingMethods, type Listing } from "../model/listing.ts";
import type { ListingVerbs } from "../storage/listing-store.ts";

/** Extensions of a payment that are answered; the rest of a longer list is not. */
const extensionsMax = 16;

/** Characters of an extension's name that is repeated. */
const nameCharsMax = 64;

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

/** Answers the extensions of the body of /verify or /settle; undefined when there are none. */
export type AnswerExtensions = (body: unknown) => Promise<ExtensionAnswers | undefined>;

/** Creates the function. Without a store there is no catalogue. Throws the store's fault. */
export function createCatalogue(
  store: Pick<ListingVerbs, "findListingOf"> | undefined,
): AnswerExtensions {
  return async (body) => {
    const payload = objectAt(body, "paymentPayload");
    const extensions = objectAt(payload, "extensions");
    if (!payload || !extensions) return undefined;
    const names = Object.keys(extensions).slice(0, extensionsMax);
    if (names.length === 0) return undefined;
    const answers: Record<string, ExtensionAnswer> = {};
    for (const name of names) {
      if (name.length > nameCharsMax || name === "__proto__") continue;
      answers[name] =
        name === "bazaar"
          ? await answerBazaar(store, body, payload, extensions)
          : rejected("unsupported_extension", "This facilitator does not act on it.");
    }
    return answers;
  };
}

async function answerBazaar(
  store: Pick<ListingVerbs, "findListingOf"> | undefined,
  body: unknown,
  payload: JsonObject,
  extensions: JsonObject,
): Promise<ExtensionAnswer> {
  if (!store) return rejected("no_catalogue", "This facilitator keeps no catalogue.");
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
