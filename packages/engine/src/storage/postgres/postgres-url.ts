/**
 * The servers of a PostgreSQL URL, which may name several hosts:
 * `postgres://user:password@one:5432,two:5432/database?target_session_attrs=read-write`.
 */

/** One server, as its driver reads it. */
export interface PostgresServer {
  /** Host and port, as the URL has them. */
  readonly name: string;
  /** A URL of this server alone, with user and password. */
  readonly url: string;
}

export interface PostgresServers {
  /** In the order of the URL; at least one. */
  readonly servers: readonly [PostgresServer, ...PostgresServer[]];
  /** As the URL has it, without its slash. */
  readonly database: string;
  /** Whether a server that is read-only is passed over. */
  readonly mustWrite: boolean;
}

/** Why a text is no such URL, without a part of the text: any part may be of the password. */
export interface UrlRefusal {
  readonly problem: string;
}

/** A search asks all of them at once. */
const serversMax = 8;

const serviceWrites = "the service writes: use target_session_attrs=read-write, primary or any";

const cannotBeRead =
  "it cannot be read; percent-encode what is special in its user and password, such as %40 for @";

/** A host, an IPv6 address in brackets, or nothing where `host` of the query names a socket. */
const hostPattern = /^(?:\[[\da-f:.]+\]|[^\s:,@/?#[\]\\]*)(?::\d{1,5})?$/i;

export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text);
}

/** Throws nothing, and passes no part of a text on that it does not understand whole. */
export function parsePostgresUrl(text: string): PostgresServers | UrlRefusal {
  const parts = splitUrl(text);
  if (!parts) return { problem: cannotBeRead };
  const { scheme, user, hosts, path, query } = parts;
  if (hosts.length > serversMax) return { problem: `it names more than ${serversMax} hosts` };
  const attributes = query.get("target_session_attrs");
  query.delete("target_session_attrs");
  if (!/^(any|read-write|primary)$/.test(attributes ?? "any")) return { problem: serviceWrites };
  const named = query.get("host");
  if (hosts.length > 1 && (named !== null || query.has("port"))) {
    return { problem: "with several hosts, host and port do not stand in the query" };
  }
  if (named !== null && !hostPattern.test(named) && !/^\/[^\s@,]*$/.test(named)) {
    return { problem: "several hosts stand before the name of the database, not in the query" };
  }
  const rest = `${path}${query.size === 0 ? "" : `?${query.toString()}`}`;
  const [first, ...others] = hosts.map((host) => ({
    name: host === "" ? (named ?? "") : host,
    url: `${scheme}${user}${host}${rest}`,
  }));
  if (!first || ![first, ...others].every(({ url }) => URL.canParse(url, "postgres://base"))) {
    return { problem: cannotBeRead };
  }
  return {
    servers: [first, ...others],
    database: path.slice(1),
    // A service that names several wants the one that takes its writes.
    mustWrite: attributes === null ? hosts.length > 1 : attributes !== "any",
  };
}

/** Parts of the URL as they are written; undefined where a password might stand in the wrong one. */
function splitUrl(text: string) {
  const match = /^(postgres(?:ql)?:\/\/)([^/?#]*)(\/[^?#@]*)?(?:\?([^#@]*))?$/.exec(text);
  if (!match) return undefined;
  const [scheme = "", authority = "", ...rest] = match.slice(1);
  const end = authority.lastIndexOf("@") + 1;
  const hosts = authority.slice(end).split(",");
  const areHosts = hosts.every((host) => hostPattern.test(host));
  if (!areHosts || (hosts.length > 1 && hosts.includes(""))) return undefined;
  const encoded = [authority.slice(0, end), ...rest].map((part) => encodeLiterals(part ?? ""));
  if (!encoded.every(isDecodable)) return undefined;
  const [user = "", path = "", query] = encoded;
  return { scheme, user, hosts, path, query: new URLSearchParams(query) };
}

/** Encodes what can only mean itself, since the driver's guess at it depends on the rest. */
function encodeLiterals(part: string): string {
  return part.replaceAll(" ", "%20").replaceAll(/%(?![\da-f]{2})/gi, "%25");
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
