import { isObject, parseUsdc, type JsonObject } from "@farthing/protocol";
import type { ImportPrices } from "./import-prices.ts";
import {
  ImportError,
  shortDescription,
  sortRoutes,
  type ImportedApi,
  type ImportedRoute,
} from "./imported-api.ts";
import {
  basePathOf,
  matchOf,
  operationsOf,
  serverUrlOf,
  whyNoOpenapi,
  type Operation,
} from "../openapi/openapi-operations.ts";

/** Reads the operations of an OpenAPI 3 document. Throws {@link ImportError}. */
export function importOpenapi(document: JsonObject, prices: ImportPrices): ImportedApi {
  const problem = whyNoOpenapi(document);
  if (problem !== undefined) throw new ImportError(`The document ${problem}.`);
  const base = basePathOf(document);
  const found = operationsOf(document).map((one): ImportedRoute => {
    const { method, path, operation, shared } = one;
    return {
      match: matchOf(method, base + path),
      price: priceOf(one, base, prices),
      description: shortDescription(operation["summary"] ?? shared["summary"]),
      isEventStream: respondsWithEvents(operation),
    };
  });
  const unused = prices.unused();
  if (unused.length > 0) {
    throw new ImportError(`The prices name what the document has not: ${unused.join(", ")}.`);
  }
  const { info, security } = document;
  const url = serverUrlOf(document);
  return {
    isOpenapi: true,
    title: isObject(info) && typeof info["title"] === "string" ? info["title"] : undefined,
    upstreamUrl: /^https?:/.test(url) ? URL.parse(url)?.origin : undefined,
    isGuarded: Array.isArray(security) && security.length > 0,
    ...sortRoutes(found),
  };
}

/** The file of prices takes precedence over the document, and the document over the file's `*`. */
function priceOf({ method, path, operation }: Operation, base: string, prices: ImportPrices) {
  const { operationId, security } = operation;
  const id = typeof operationId === "string" ? [operationId] : [];
  const said = prices.find([`${method} ${path}`, `${method} ${base}${path}`, ...id]);
  if (said !== undefined) return said;
  const own = statedPrice(operation["x-payment-info"]);
  if (own !== undefined) return own;
  return Array.isArray(security) && security.length === 0 ? "free" : prices.fallback;
}

/** Returns the price in `x-payment-info`: its text, or the `amount` of a fixed price. */
function statedPrice(stated: unknown): string | undefined {
  const price = isObject(stated) ? stated["price"] : undefined;
  const amount = isObject(price) && price["mode"] !== "dynamic" ? price["amount"] : price;
  const units = parseUsdc(amount);
  return typeof amount === "string" && units !== undefined && units > 0n ? amount : undefined;
}

/** Whether every response of 2xx is a stream of events. */
function respondsWithEvents({ responses }: JsonObject): boolean {
  if (!isObject(responses)) return false;
  const contents = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([, response]) =>
      isObject(response) && isObject(response["content"]) ? [response["content"]] : [],
    );
  const types = contents.flatMap((content) => Object.keys(content));
  return types.length > 0 && types.every((type) => /^text\/event-stream\b/i.test(type));
}
