/** Rules for URLs from third parties, which are checked before their names are resolved. */
import { isIP } from "node:net";
import { isLoopback } from "@farthing/protocol";

/** Targets beyond the public internet, which only devnets allow. */
export interface Reach {
  /** Allows this machine, on any port, also by IP address and without TLS. */
  readonly isLocal: boolean;
  /** Allows requests without TLS. */
  readonly isPlain: boolean;
}

/** Other ports more likely belong to another service than to a web server. */
const ports = new Set(["", "443", "8443"]);

/** Returns why a URL is refused, or undefined. */
export function findUrlProblem(text: string, reach: Reach): string | undefined {
  // The parser would repair these; a URL that needs repair may be meant to be misread.
  if (/[\s\\]|\p{C}/u.test(text)) return "It has characters that no URL has; encode them.";
  const url = URL.parse(text);
  if (!url) return "It is no URL.";
  if (url.username !== "" || url.password !== "") return "It holds credentials; leave them out.";
  if (url.hash !== "") return "It has a fragment; leave it out.";
  const isHere = reach.isLocal && isLoopback(url.hostname);
  const isPlain = url.protocol === "http:" && (reach.isPlain || isHere);
  if (url.protocol !== "https:" && !isPlain) return "It must begin with https://.";
  if (reach.isLocal) return undefined;
  if (!ports.has(url.port)) return "Its port must be 443 or 8443.";
  // Certificates are issued for names; IP addresses, in any notation, have none.
  if (isIP(bareHost(url)) !== 0) return "It must have a name, not a number.";
  // A name with a final dot is the same host under another name and would evade limits by name.
  if (url.hostname.endsWith(".")) return "Its name must not end with a dot.";
  return url.hostname.includes(".") ? undefined : "Its name must be one of the internet.";
}

/** Returns the host of a URL, without the brackets of IPv6. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
