/**
 * Which requests to the local chain come from a page of another site. Its node obeys everybody, also
 * the calls that change balances, and a browser on this machine reaches it.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isLoopback } from "@farthing/protocol";

/** Origins of what people have installed in their browser, such as a wallet. No page can have one. */
const extensionSchemes = new Set(["chrome-extension:", "moz-extension:", "safari-web-extension:"]);

/** Returns why a request is refused; undefined for programs, and for pages of this machine. */
export function refuseForeign({ host, origin }: IncomingHttpHeaders): string | undefined {
  // A name of another site may point at 127.0.0.1 by now, and its pages then have no other origin.
  const named = parseUrl(`http://${host ?? ""}`);
  if (!named || !isLoopback(named.hostname)) {
    return "The local chain is reached by 127.0.0.1 or localhost only.";
  }
  if (origin === undefined || isAllowedOrigin(origin)) return undefined;
  return "The local chain obeys programs and pages of this machine only.";
}

function isAllowedOrigin(origin: string): boolean {
  const url = parseUrl(origin);
  if (!url) return false;
  return isLoopback(url.hostname) || extensionSchemes.has(url.protocol);
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
