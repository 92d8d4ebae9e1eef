/** The headers for the client: the upstream's permitted ones. */
import type { RouteConfig } from "../configuration/configuration.ts";
import { isPassedToClient, namedInConnection } from "./header-rules.ts";
import { HeaderFields } from "./header-fields.ts";

/** Headers whose value is an address. */
const addressHeaders = new Set(["location", "content-location"]);

export function clientHeaders(
  given: Readonly<Record<string, string | string[] | undefined>>,
  { upstream, pass }: RouteConfig,
  publicUrl: string,
): HeaderFields {
  const headers = new HeaderFields();
  const named = namedInConnection(given["connection"]);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || named.has(name) || !isPassedToClient(name, pass)) continue;
    for (const one of typeof value === "string" ? [value] : value) {
      const passed = addressHeaders.has(name) ? publicAddress(one, upstream.url, publicUrl) : one;
      if (passed !== undefined) headers.append(name, passed);
    }
  }
  return headers;
}

/** Returns the headers as Node writes them: several cookies are several headers. */
export function headerFields(headers: Headers | HeaderFields): HeaderFields["fields"] {
  if (headers instanceof HeaderFields) return headers.fields;
  const fields: HeaderFields["fields"] = {};
  for (const [name, value] of headers) fields[name] = value;
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) fields["set-cookie"] = cookies;
  return fields;
}

/** Rewrites the upstream's addresses to the gateway's; those outside its base are removed. */
function publicAddress(text: string, upstreamUrl: string, publicUrl: string): string | undefined {
  const { origin, pathname, host } = new URL(`${upstreamUrl}/`);
  const target = URL.parse(text, `${upstreamUrl}/`);
  if (!target) return undefined;
  // A path without a host is relative to the client's address, unless it has a prefix.
  const isRelative = !/^([a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(text);
  if (isRelative && (pathname === "/" || !text.startsWith("/"))) return text;
  if (target.host !== host) return text;
  if (target.origin !== origin || !target.pathname.startsWith(pathname)) return undefined;
  const rest = target.pathname.slice(pathname.length - 1);
  return `${publicUrl}${rest}${target.search}${target.hash}`;
}
