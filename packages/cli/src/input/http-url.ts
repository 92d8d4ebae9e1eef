/** A name or an address with a port, with a path or without: `localhost:3000`, `[::1]:3000/api`. */
const hostAndPort = /^([a-z0-9.-]+|\[[0-9a-f:]+\]):\d{1,5}(\/|$)/i;

/** The address of an API for a port of this machine or host:port; any other text as it is. */
export function apiAddress(text: string): string {
  if (hostAndPort.test(text)) return `http://${text}`;
  return /^\d+$/.test(text) ? `http://127.0.0.1:${text}` : text;
}

/** An http or https URL; undefined for any other text. */
export function parseHttpUrl(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}
