import { isObject, parseUsdc, type JsonObject } from "@farthing/protocol";
import { baseUrl } from "../configuration/parse-setting.ts";
import {
  ImportError,
  shortDescription,
  sortRoutes,
  type ImportedApi,
  type ImportedRoute,
} from "./imported-api.ts";

/** Recognises a `gateway.json` of xdcai.tech. */
export function isXdcai(document: JsonObject): boolean {
  return Object.hasOwn(document, "upstreamBaseUrl") && Array.isArray(document["routes"]);
}

/** Reads its routes. Throws {@link ImportError} for one without method, path or price. */
export function importXdcai(document: JsonObject): ImportedApi {
  const { name, upstreamBaseUrl, auth, routes } = document;
  const upstreamUrl = typeof upstreamBaseUrl === "string" ? baseUrl(upstreamBaseUrl) : undefined;
  if (upstreamUrl === undefined) {
    throw new ImportError("upstreamBaseUrl must be an http or https address without query.");
  }
  const list: readonly unknown[] = Array.isArray(routes) ? routes : [];
  const method = isObject(auth) ? auth["method"] : undefined;
  return {
    isOpenapi: false,
    title: shortDescription(name),
    upstreamUrl,
    isGuarded: typeof method === "string" && method !== "none",
    ...sortRoutes(list.map(readRoute)),
  };
}

function readRoute(route: unknown, index: number): ImportedRoute {
  const { method, path, priceUSDC, capability } = isObject(route) ? route : {};
  if (typeof method !== "string" || typeof path !== "string") {
    throw new ImportError(`routes[${index}] must have a method and a path.`);
  }
  // The format has prices as JSON numbers too; as text they are exact.
  const price = typeof priceUSDC === "number" ? String(priceUSDC) : priceUSDC;
  const units = parseUsdc(price);
  if (price !== undefined && units === undefined) {
    throw new ImportError(`routes[${index}].priceUSDC must be USDC with at most 6 decimals.`);
  }
  return {
    match: `${method.toUpperCase()} ${path}`,
    price: units === 0n ? "free" : typeof price === "string" ? price : undefined,
    description: shortDescription(capability),
  };
}
