/** Which addresses a stranger may have us send something to, before their names are resolved. */
import { isIP } from "node:net";

/** How far beyond the internet an address may reach; only on devnets further than nowhere. */
export interface Reach {
  /** This machine, on any port, also by number. */
  readonly isLocal: boolean;
  /** Without TLS. */
  readonly isPlain: boolean;
}

/** Ports of HTTPS; anything else is more likely another service than a web server. */
const ports = new Set(["", "443", "8443"]);

/** Why an address is not sent to at all; undefined when it may be tried. */
export function findUrlProblem(text: string, reach: Reach): string | undefined {
  // The parser would repair these; what has to be repaired was written to be misread.
  if (/[\s\\]|\p{C}/u.test(text)) return "It has characters that no URL has; encode them.";
  const url = URL.parse(text);
  if (!url) return "It is no URL.";
  if (url.username !== "" || url.password !== "") return "It holds credentials; leave them out.";
  if (url.hash !== "") return "It has a fragment; leave it out.";
  const isPlain = reach.isPlain && url.protocol === "http:";
  if (url.protocol !== "https:" && !isPlain) return "It must begin with https://.";
  if (reach.isLocal) return undefined;
  if (!ports.has(url.port)) return "Its port must be 443 or 8443.";
  // Certificates are made for names; numbers, in whichever writing, have none.
  if (isIP(bareHost(url)) !== 0) return "It must have a name, not a number.";
  // With a dot at its end it is the same host by another name, which what counts by name would miss.
  if (url.hostname.endsWith(".")) return "Its name must not end with a dot.";
  return url.hostname.includes(".") ? undefined : "Its name must be one of the internet.";
}

/** The host of a URL, an IPv6 one without its brackets. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
