/**
 * Responses to the extensions of a payment. Only `bazaar` is processed; every other extension gets
 * no response, because stock sellers log a rejection for each payment. A payment adds nothing to the
 * catalogue, since its sender is not the seller. The response states how the seller's listing stands
 * instead, which explains why an endpoint is not found.
 */
import {
  isLoopback,
  isObject,
  member,
  parseWireAddress,
  type JsonObject,
} from "@farthing/protocol";
import type { ExtensionResponse, RespondToExtensions } from "../../payments/extension-responses.ts";
import { isPublic, listingMethods, type Listing } from "./model.ts";
import type { ListingStore } from "./store.ts";

/** Without a store there is no catalogue. Throws the store's fault. */
export function createCatalogue(
  store: Pick<ListingStore, "findListingOf"> | undefined,
): RespondToExtensions {
  return async (body) => {
    const payload = objectAt(body, "paymentPayload");
    const extensions = objectAt(payload, "extensions");
    if (!store || !payload || !extensions || !Object.hasOwn(extensions, "bazaar")) return undefined;
    return { bazaar: await respondToBazaar(store, body, payload, extensions) };
  };
}

async function respondToBazaar(
  store: Pick<ListingStore, "findListingOf">,
  body: unknown,
  payload: JsonObject,
  extensions: JsonObject,
): Promise<ExtensionResponse> {
  const input = objectAt(objectAt(objectAt(extensions, "bazaar"), "info"), "input");
  const kind = input && member(input, "type");
  if (kind !== "http" && kind !== "mcp") {
    return rejected("invalid_extension", "bazaar has no info.input of type http or mcp.");
  }
  if (kind === "mcp")
    return rejected(
      "not_http",
      "The payment for a tool does not name the address of its server, by which tools are listed.",
    );
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
  // A server behind a proxy may report http; listed resources are https, except on this machine.
  const scheme = isLoopback(url.hostname) ? url.protocol : "https:";
  const canonical = `${scheme}//${url.host}${url.pathname}`;
  const listing = await store.findListingOf(payTo, { resource: canonical, method });
  return listing ? responseOf(listing) : rejected("not_listed", notListed);
}

const notListed =
  "The payee has not listed this endpoint; it is listed on the dashboard or by POST /v1/account/listings, not by payments.";

function responseOf({ check }: Listing): ExtensionResponse {
  if (isPublic(check)) return { status: "success" };
  if (check.state === "pending" || check.state === "failing") {
    return { status: "processing", code: check.state };
  }
  const why = check.state === "blocked" ? "The operator has blocked it." : check.message;
  return rejected(check.state, why);
}

function rejected(code: string, rejectedReason: string): ExtensionResponse {
  return { status: "rejected", rejectedReason, code };
}

function objectAt(value: unknown, key: string): JsonObject | undefined {
  const inner = isObject(value) ? member(value, key) : undefined;
  return isObject(inner) ? inner : undefined;
}
