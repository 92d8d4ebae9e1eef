/** Texts of the configuration with a meaning; undefined for others. */
import { isIP } from "node:net";
import { parseAddress, parseUsdc, zeroAddress, type Address } from "@farthing/protocol";
import { parseRoutePattern, type RoutePattern } from "../routing/route-pattern.ts";

/** Parses an http or https address without query, fragment, user name and trailing slash. */
export function baseUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || text.includes("\\")) return undefined;
  const isPlain =
    url.search === "" && url.hash === "" && url.username === "" && url.password === "";
  return isPlain ? url.href.replace(/\/+$/, "") : undefined;
}

export function payableAddress(text: string): Address | undefined {
  const address = parseAddress(text);
  return address === zeroAddress ? undefined : address;
}

/** Returns USDC base units above 0. */
export function price(text: string): bigint | undefined {
  return parseUsdc(text) || undefined;
}

export function routePattern(text: string): RoutePattern | undefined {
  const pattern = parseRoutePattern(text);
  return typeof pattern === "string" ? undefined : pattern;
}

export function whyNoPattern(text: string): string {
  const why = parseRoutePattern(text);
  return typeof why === "string" ? `is ${JSON.stringify(text)}, but ${why}` : "";
}

export type ListenAddress = NonNullable<ReturnType<typeof listenAddress>>;

const maxPort = 65_535;

/** Parses host:port; port 0 chooses a free one. */
export function listenAddress(text: string) {
  const at = text.lastIndexOf(":");
  const port = Number(text.slice(at + 1));
  return port <= maxPort ? { host: text.slice(0, at).replace(/^\[|\]$/g, ""), port } : undefined;
}

/** Parses an address, or a range such as 10.0.0.0/8. */
export function proxyAddress(text: string): string | undefined {
  const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bitsMax = { 4: 32, 6: 128 }[isIP(address)];
  return bitsMax !== undefined && Number(bits ?? 0) <= bitsMax ? text : undefined;
}
