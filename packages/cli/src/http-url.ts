/** The address of an API on this machine for a port alone; any other text as it is. */
export function apiAddress(text: string): string {
  return /^\d+$/.test(text) ? `http://127.0.0.1:${text}` : text;
}

/** An http or https URL; undefined for any other text. */
export function parseHttpUrl(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}
