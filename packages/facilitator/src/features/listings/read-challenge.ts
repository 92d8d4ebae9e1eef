/**
 * Reads a third party's 402: terms are in the header `PAYMENT-REQUIRED`, else in the body.
 * Everything that is stored is bounded and untrusted.
 */
import {
  bazaarKey,
  decodeHeader,
  headerNames,
  isObject,
  isRouteTemplate,
  member,
  parseJson,
  type JsonObject,
} from "@farthing/protocol";
import type { OutboundResponse } from "../../http/outbound/guarded-request.ts";
import type { SeenChallenge } from "./model.ts";

/** More entries than any seller offers. */
const entriesMax = 32;

/** Characters of all entries as JSON: a dual challenge has a thousand, lists have hundreds. */
const acceptsCharsMax = 16 * 1024;

/** Characters of a bazaar extension as JSON, which every list contains. */
const bazaarCharsMax = 8 * 1024;

/** Characters of a description or a media type. */
const textCharsMax = 500;

export interface FoundChallenge {
  readonly seen: SeenChallenge;
  /** As written; undefined when the challenge names none. */
  readonly resourceUrl: string | undefined;
}

export type ReadChallenge =
  | ({ readonly kind: "found" } & FoundChallenge)
  | { readonly kind: "none" }
  | { readonly kind: "unreadable"; readonly problem: string };

export function readChallenge(
  { headers, body }: Pick<OutboundResponse, "headers" | "body">,
  at: number,
): ReadChallenge {
  const header = headers[headerNames.paymentRequired.toLowerCase()];
  if (header !== undefined) {
    const decoded = decodeHeader(header);
    if (!decoded) return unreadable("Its header PAYMENT-REQUIRED is not base64 of JSON.");
    return readObject(decoded.value, "Its header PAYMENT-REQUIRED", at);
  }
  if (body === undefined) return unreadable("Its body is too large, or packed.");
  if (body.trim() === "") return { kind: "none" };
  const parsed = parseJson(body);
  if (!parsed || !isObject(parsed.value) || member(parsed.value, "accepts") === undefined) {
    return { kind: "none" };
  }
  return readObject(parsed.value, "Its body", at);
}

function unreadable(problem: string): ReadChallenge {
  return { kind: "unreadable", problem };
}

function readObject(value: unknown, where: string, at: number): ReadChallenge {
  const accepts = isObject(value) ? member(value, "accepts") : undefined;
  if (!isObject(value) || !Array.isArray(accepts)) {
    return unreadable(`${where} has no list accepts.`);
  }
  const entries: JsonObject[] = accepts.slice(0, entriesMax).filter(isObject);
  if (JSON.stringify(entries).length > acceptsCharsMax) {
    return unreadable(`${where} has more in accepts than is looked at.`);
  }
  const resource = member(value, "resource");
  const described = isObject(resource) ? resource : (entries[0] ?? {});
  const isSecond = entries.some((entry) => textOf(member(entry, "network"))?.includes(":"));
  return {
    kind: "found",
    resourceUrl: isObject(resource) ? textOf(member(resource, "url")) : undefined,
    seen: {
      at,
      x402Version: isSecond ? 2 : 1,
      accepts: entries,
      bazaar: bazaarOf(value),
      description: shortText(member(described, "description")),
      mimeType: shortText(member(described, "mimeType")),
    },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A third party's text, cut for lists; null when there is none. */
function shortText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value.replaceAll(/\p{C}/gu, " ").trim().slice(0, textCharsMax);
  return text === "" ? null : text;
}

/** The extension `bazaar`, when it has the two objects, is small, and contains no markup. */
function bazaarOf(challenge: JsonObject): JsonObject | null {
  const extensions = member(challenge, "extensions");
  const bazaar = isObject(extensions) ? member(extensions, bazaarKey) : undefined;
  if (!isObject(bazaar)) return null;
  const [info, schema] = [member(bazaar, "info"), member(bazaar, "schema")];
  if (!isObject(info) || !isObject(schema)) return null;
  const template = member(bazaar, "routeTemplate");
  const kept = { info, schema, ...(isRouteTemplate(template) ? { routeTemplate: template } : {}) };
  const json = JSON.stringify(kept);
  return json.length > bazaarCharsMax || /<[a-z!/?]/i.test(json) ? null : kept;
}
