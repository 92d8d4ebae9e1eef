/** An http or https URL; undefined for any other text. */
export function parseHttpUrl(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}
