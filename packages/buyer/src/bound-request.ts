/** Which request a payment's nonce commits to, and why it sometimes commits to none. */
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

/** The request as the nonce names it; what is still missing is the salt and the payee. */
export type BindingTarget = Pick<BoundRequest, "method" | "url" | "bodyHash">;

/** What is bound: the offer's own address for the resource has to be the address that was asked. */
export interface BindingOrder {
  readonly offer: Offer;
  readonly requirements: Requirements;
  readonly request: Pick<ReplayableRequest, "method" | "bodyHash">;
  /** Where the payment goes. */
  readonly url: string;
}

/**
 * The request that a payment is bound to. Undefined when the challenge names another address than
 * the one that was asked, as behind a proxy that rewrites paths: the seller could not confirm it.
 */
export function bindingTargetOf(order: BindingOrder): BindingTarget | undefined {
  const { request, url } = order;
  const named = resourceUrlOf(order);
  const asked = new URL(url);
  if (named === undefined || !hasOurVersion(order.offer.extensions)) return undefined;
  const { bodyHash } = request;
  if (asked.protocol === "mcp:") {
    // The paying client asks `mcp://<server>/tools/<name>`; challenges know the tool alone.
    const tool = asked.pathname.slice(asked.pathname.lastIndexOf("/") + 1);
    const isTool = URL.parse(named)?.href === `mcp://tool/${tool}`;
    return isTool ? { method: "MCP", url: named, bodyHash } : undefined;
  }
  // No fragment travels with a request.
  asked.hash = "";
  if (URL.parse(named)?.href !== asked.href) return undefined;
  return { method: request.method.toUpperCase(), url: named, bodyHash };
}

/** The address that the challenge gives the resource. */
export function resourceUrlOf({
  offer,
  requirements,
}: Pick<BindingOrder, "offer" | "requirements">): string | undefined {
  const url = offer.resource && member(offer.resource, "url");
  if (requirements.version === 1) return requirements.resource;
  return typeof url === "string" ? url : undefined;
}

/** Whether a challenge declares the extension. */
export function declaresBinding(extensions: JsonObject | undefined): boolean {
  return extensions !== undefined && isObject(member(extensions, requestBindingKey));
}

/** A salt is added to the version that is known; a declared field is never changed. */
function hasOurVersion(extensions: JsonObject | undefined): boolean {
  const declared = extensions && member(extensions, requestBindingKey);
  if (declared === undefined) return true;
  const info = isObject(declared) ? member(declared, "info") : undefined;
  return isObject(info) && member(info, "version") === 1;
}
