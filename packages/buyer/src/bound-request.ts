/** The request that a payment's nonce commits to. */
import {
  isObject,
  member,
  requestBindingKey,
  type BoundRequest,
  type JsonObject,
  type Requirements,
} from "@farthing/protocol";
import type { Offer } from "./offer/read-challenge.ts";
import type { ReplayableRequest } from "./replayable-request.ts";

/** What the nonce commits to, besides the salt and the payee. */
export type BindingTarget = Pick<BoundRequest, "method" | "url" | "bodyHash">;

export interface BindingOrder {
  readonly offer: Offer;
  readonly requirements: Requirements;
  readonly request: Pick<ReplayableRequest, "method" | "bodyHash">;
  /** Where the payment goes: the request's address, or where an unpaid redirect led. */
  readonly url: string;
}

/** Undefined when the challenge names another address, which the seller could not confirm. */
export function bindingTargetOf(order: BindingOrder): BindingTarget | undefined {
  const { request, url } = order;
  const named = resourceUrlOf(order);
  const asked = new URL(url);
  if (named === undefined || !hasOurVersion(order.offer.extensions)) return undefined;
  const { bodyHash } = request;
  if (asked.protocol === "mcp:") {
    // The paying client requests `mcp://<server>/tools/<name>`; challenges name the tool alone.
    const tool = asked.pathname.slice(asked.pathname.lastIndexOf("/") + 1);
    const isTool = hrefOf(named) === `mcp://tool/${tool}`;
    return isTool ? { method: "MCP", url: named, bodyHash } : undefined;
  }
  asked.hash = "";
  if (hrefOf(named) !== asked.href) return undefined;
  return { method: request.method.toUpperCase(), url: named, bodyHash };
}

function hrefOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).href : undefined;
}

export function resourceUrlOf({
  offer,
  requirements,
}: Pick<BindingOrder, "offer" | "requirements">): string | undefined {
  const url = offer.resource && member(offer.resource, "url");
  if (requirements.version === 1) return requirements.resource;
  return typeof url === "string" ? url : undefined;
}

export function declaresBinding(extensions: JsonObject | undefined): boolean {
  return extensions !== undefined && isObject(member(extensions, requestBindingKey));
}

/** A salt is added to the known version only; declared fields never change. */
function hasOurVersion(extensions: JsonObject | undefined): boolean {
  const declared = extensions && member(extensions, requestBindingKey);
  if (declared === undefined) return true;
  const info = isObject(declared) ? member(declared, "info") : undefined;
  return isObject(info) && member(info, "version") === 1;
}
