/**
 * The canonical form of a path: rules match it, the payment is bound to it, and the upstream gets
 * it. Where gateway and upstream read a path differently, a paid resource is reachable through a
 * free rule; so ambiguous paths are refused, not repaired.
 */

export interface PathRules {
  /** Allows `%2F`, which the upstream must read as data and never as `/`. */
  readonly allowEncodedSlash: boolean;
}

/** Frameworks and logs cut at 2 KiB or later. */
export const maxPathChars = 2048;

/** Splits a request target before its first question mark. Undefined for what no client sends. */
export function splitTarget(raw: string) {
  if (/[^\x21-\x7e]|#/.test(raw)) return undefined;
  const at = raw.indexOf("?");
  return at < 0 ? { path: raw, query: "" } : { path: raw.slice(0, at), query: raw.slice(at) };
}

/** Paths in canonical form without escapes, which most are: no segment begins or ends with a dot. */
const simplePath = /^\/(?:[\w~-](?:[\w.~-]*[\w~-])?\/)*(?:[\w~-](?:[\w.~-]*[\w~-])?)?$/;

/**
 * Makes a raw path (without query) canonical, by decoding escaped letters, digits and `-._~`
 * (RFC 3986 6.2.2) and writing other escapes in capitals. Undefined, to be answered with 400, for
 *
 * - anything but a path that starts with `/`: the absolute form, `*`;
 * - controls, bytes outside ASCII, backslashes, matrix parameters (`;`), and what URLs never hold;
 * - escapes that are broken, not UTF-8, or stand for `/` (but see the rules), `\`, `%`, `;`, `?`,
 *   `#` or a control;
 * - empty segments, `.` and `..`, also behind an escaped slash;
 * - segments that end in a dot or a space, which Windows drops.
 */
export function canonicalPath(raw: string, rules: PathRules): string | undefined {
  if (!raw.startsWith("/") || raw.length > maxPathChars) return undefined;
  if (simplePath.test(raw)) return raw;
  if (/[^\x21-\x7e]|[\\;?#"<>^`{|}]/.test(raw)) return undefined;
  if (/%(?![0-9a-f]{2})/i.test(raw)) return undefined;
  if (/%(?:5c|25|3b|23|3f|[01][0-9a-f]|7f)/i.test(raw)) return undefined;
  if (!rules.allowEncodedSlash && /%2f/i.test(raw)) return undefined;
  if (decodePath(raw) === undefined) return undefined;
  const path = raw.replace(/%([0-9a-f]{2})/gi, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : escape.toUpperCase();
  });
  // An escaped slash counts as one: an upstream that unescapes it must not climb.
  const segments = path.slice(1).split(/\/|%2F/);
  const isEmpty = (segment: string, index: number) => segment === "" && index < segments.length - 1;
  if (segments.some((segment, index) => isEmpty(segment, index) || /(?:\.|%20)$/.test(segment))) {
    return undefined;
  }
  return path;
}

/** Decodes every escape of a path; undefined when its bytes are not UTF-8. */
export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Returns the form in which hosts are compared: without case, the root's dot and default ports. */
export function hostKey(host: string | undefined): string {
  return (host ?? "")
    .toLowerCase()
    .replace(/:(80|443)$/, "")
    .replace(/\.$/, "");
}

export function isSameHost(one: string | undefined, other: string | undefined): boolean {
  return hostKey(one) === hostKey(other);
}
