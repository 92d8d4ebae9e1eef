/** Media types in documents and in headers. */

/** Lower-case, without parameters. */
export function mediaTypeOf(header: string): string {
  return (header.split(";")[0] ?? "").trim().toLowerCase();
}

export function isJson(type: string): boolean {
  return /^application\/([\w.-]+\+)?json$/.test(mediaTypeOf(type));
}

export function isInRange(type: string, range: string): boolean {
  if (range === "*/*" || range === type) return true;
  return range.endsWith("/*") && type.startsWith(range.slice(0, -1));
}
