/**
 * The address of a request. The price function gets a URL, the handler what its framework made of
 * the request line; where the two could disagree, a buyer would pay for one resource and receive
 * another. So an address that URL parsing would change or read in two ways is refused, and no
 * header affects path and query.
 */

export interface RequestLine {
  readonly method: string;
  /** The request target as received, e.g. `/report?days=30`. */
  readonly target: string;
  /** The Host header, or the value of a trusted proxy. */
  readonly host: string | undefined;
  /** `http` or `https`, from the connection or from a trusted proxy. */
  readonly scheme: string;
}

export interface AddressRefusal {
  readonly status: 400 | 405 | 414;
  readonly error: "malformed_request" | "method_not_allowed" | "address_too_long";
  /** What the client should send instead. */
  readonly message: string;
}

export type AddressOutcome =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly refusal: AddressRefusal };

export const servedMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/**
 * Needless escapes in a path: of letters, digits and `-._~` (RFC 3986, 2.3), and of controls.
 * Routers decode paths before they match them: a price for `/full` would not see `/f%75ll`.
 */
const needlessEscape = /%(?:[01][0-9a-f]|2[de]|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9aef])/i;

/** Methods that web-standard requests cannot have. */
const refusedMethods = new Set(["TRACE", "TRACK", "CONNECT"]);

/**
 * Longest path with its query. A challenge names the address and its payment repeats it, in base64:
 * with the rest of a payment that stays below 8 KiB, which nginx and Apache read for one header.
 */
export const addressCharsMax = 4_096;

/** RFC 1035 allows 253 characters in a name; the rest is for brackets and a port. */
const maxHostChars = 270;

/** A name, an IPv4 address or an IPv6 address in brackets, with a port or without. */
const hostPattern = /^(?:[a-z0-9_](?:[a-z0-9._-]*)|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Reads path and query from the target alone, which must be in origin form. */
export function readRequestAddress({ method, target, host, scheme }: RequestLine): AddressOutcome {
  const notAllowed = checkMethod(method);
  if (notAllowed) return refuse(notAllowed);
  const lowerScheme = scheme.toLowerCase();
  if (lowerScheme !== "http" && lowerScheme !== "https") return refuse(badScheme);
  // HTTP/1.0 has no Host header.
  const name = host ?? "localhost";
  if (!isPlainHost(name)) return refuse(badHost);
  if (target.length > addressCharsMax) return refuse(tooLong);
  if (!isPlainTarget(target)) return refuse(badTarget);
  const url = new URL(`${lowerScheme}://localhost${target}`);
  url.host = name;
  return { ok: true, url: url.href };
}

/** Checks a web-standard request for everything that a URL parser would change. */
export function checkRequestAddress(request: Request): AddressRefusal | undefined {
  const notAllowed = checkMethod(request.method);
  if (notAllowed) return notAllowed;
  const target = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(request.url)?.[1];
  if (target !== undefined && target.length > addressCharsMax) return tooLong;
  if (target === undefined || !isPlainTarget(target)) return badTarget;
  if (!URL.canParse(request.url)) return badHost;
  const host = request.headers.get("Host");
  return host === null || isPlainHost(host) ? undefined : badHost;
}

/** The host that was asked for last: nearly always the same one. */
let lastPlainHost: string | undefined;

/** Whether a Host header names exactly one host. */
export function isPlainHost(host: string): boolean {
  if (host === lastPlainHost) return true;
  const isPlain = checkHost(host);
  if (isPlain) lastPlainHost = host;
  return isPlain;
}

function checkHost(host: string): boolean {
  if (host.length > maxHostChars || !hostPattern.test(host)) return false;
  return URL.canParse(`http://${host}`);
}

/**
 * Targets that no parser changes: no escapes, no empty segment but the last one, and none that begins
 * with a dot. Most are such, and need not be parsed.
 */
const simpleTarget = /^\/(?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?(?:\?[\w.~=&-]*)?$/;

/** Whether a target is of the usual kind, which is plain. */
export function isSimpleTarget(target: string): boolean {
  return simpleTarget.test(target);
}

/**
 * Whether URL parsing and decoding leave a request target unchanged. An apostrophe in the query is
 * allowed: some clients send it (RFC 3986), and `%27` means the same.
 */
export function isPlainTarget(target: string): boolean {
  if (isSimpleTarget(target)) return true;
  // Two leading slashes name a host when the target is resolved against a base address.
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(target) || target.includes("#")) return false;
  const base = "http://localhost";
  if (!URL.canParse(base + target) || !isDecodable(target)) return false;
  const { origin, pathname, search } = new URL(base + target);
  const at = target.indexOf("?");
  const path = at < 0 ? target : target.slice(0, at);
  if (needlessEscape.test(path)) return false;
  // A URL does not keep a question mark without a query.
  const query = at < 0 || at === target.length - 1 ? "" : target.slice(at);
  return origin === base && pathname === path && search === query.replaceAll("'", "%27");
}

/** Whether every escape is UTF-8 text; parsers disagree about all others. */
function isDecodable(target: string): boolean {
  try {
    decodeURIComponent(target);
    return true;
  } catch {
    return false;
  }
}

function checkMethod(method: string): AddressRefusal | undefined {
  if (!refusedMethods.has(method.toUpperCase())) return undefined;
  const message = `${method} is not served. Use ${servedMethods.join(", ")}.`;
  return { status: 405, error: "method_not_allowed", message };
}

function refuse(refusal: AddressRefusal): AddressOutcome {
  return { ok: false, refusal };
}

function badRequest(message: string): AddressRefusal {
  return { status: 400, error: "malformed_request", message };
}

const tooLong: AddressRefusal = {
  status: 414,
  error: "address_too_long",
  message: `An address that is paid for has at most ${addressCharsMax} characters after the host; send what is longer in the body of a POST.`,
};

const badScheme = badRequest("The forwarded scheme must be http or https.");
const badHost = badRequest("The Host header must name one host, with a port or without.");

export const badTarget = badRequest(
  "The request target must be a path with its query, written as URLs are: no host in it, no // at " +
    "its start, no . or .. segments, no #, letters and digits as they are, other characters percent-encoded.",
);
