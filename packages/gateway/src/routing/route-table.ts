/** Finds the rule of a request: the first that matches its method, host and canonical path. */
import { decodePath, hostKey } from "./canonical-path.ts";
import {
  allRoutes,
  hasSamePrice,
  maySendIndex,
  type GatewayConfig,
  type RouteConfig,
} from "../configuration/configuration.ts";
import { indexFile, segmentsOf, servedMethods } from "./route-pattern.ts";
import { indexRules } from "./rule-index.ts";

export type RouteMatch =
  | {
      readonly kind: "route";
      readonly route: RouteConfig;
      /** The values of `:name`, escapes decoded. */
      readonly parameters: Readonly<Record<string, string>>;
    }
  /** 404: no rule matches. */
  | { readonly kind: "deny" }
  /** 405: the gateway does not proxy this method. OPTIONS never gets here. */
  | { readonly kind: "method_not_allowed" }
  /** 421: no rule is for this host. */
  | { readonly kind: "unknown_host" };

/** Why a rule was not taken. */
export const mismatches = {
  method: "another method",
  host: "another host",
  path: "another path",
  encoded_slash: "its upstream takes no escaped slash",
  // A later rule with another price must not take the request then.
  case_only: "the same path but for the case of letters",
};
type Mismatch = keyof typeof mismatches;

export interface Explanation {
  readonly match: RouteMatch;
  /** The rules that were tried before, in order, with the reasons. */
  readonly passedOver: readonly { readonly route: RouteConfig; readonly reason: Mismatch }[];
}

export function compileRoutes(config: GatewayConfig) {
  const rules = allRoutes(config);
  const knownHosts = hostsOf(config);
  const candidates = indexRules(rules);
  const hasIndexes = rules.some(({ upstream }) => maySendIndex(upstream));
  /** `method` is in capitals, `host` is the Host header, and `path` is canonical. */
  const find = (
    method: string,
    host: string | undefined,
    path: string,
    rulesFor: (asked: Asked) => readonly RouteConfig[],
  ): Explanation => {
    const passedOver: { route: RouteConfig; reason: Mismatch }[] = [];
    const end = (match: RouteMatch) => ({ match, passedOver });
    const asked = hostKey(host);
    if (knownHosts && !knownHosts.has(asked)) return end({ kind: "unknown_host" });
    if (!servedMethods.includes(method)) return end({ kind: "method_not_allowed" });
    const segments = segmentsOf(path);
    const parts = path.includes("%") ? segments.map((part) => decodePath(part) ?? part) : segments;
    const request: Asked = {
      method: method === "HEAD" ? "GET" : method,
      host: asked,
      path: foldedPath(parts),
      fileNames: hasIndexes ? fileNamesOf(path, parts).map(foldedPath) : [],
      hasEncodedSlash: path.includes("%2F"),
    };
    for (const route of rulesFor(request)) {
      const tried = tryRule(route, request);
      if (typeof tried === "string") passedOver.push({ route, reason: tried });
      else if (hasCaseDuplicate(passedOver, route)) return end({ kind: "deny" });
      else return end({ kind: "route", route, parameters: tried });
    }
    return end({ kind: "deny" });
  };
  return {
    /** The rules for {@link canonicalPath}. */
    pathRules: {
      allowEncodedSlash: rules.some(({ upstream }) => upstream.paths.allowEncodedSlash),
    },
    match: (method: string, host: string | undefined, path: string) =>
      find(method, host, path, ({ path: own, fileNames }) => candidates([own, ...fileNames])).match,
    /** Tries every rule in turn, and tells why those before were not taken. */
    explain: (method: string, host: string | undefined, path: string) =>
      find(method, host, path, () => rules),
  };
}

/** Returns the known hosts as soon as a rule names one; undefined: all hosts. */
function hostsOf({ routes, publicUrl }: GatewayConfig): ReadonlySet<string> | undefined {
  const named = routes.flatMap(({ host }) => (host === undefined ? [] : [hostKey(host)]));
  return named.length === 0 ? undefined : new Set([...named, hostKey(new URL(publicUrl).host)]);
}

interface AskedPath {
  /** Segments with their escapes decoded, because servers decode at different times. */
  readonly parts: readonly string[];
  /** In lower case. */
  readonly folded: readonly string[];
}

interface Asked {
  readonly method: string;
  readonly host: string;
  readonly path: AskedPath;
  /** All paths of the file that a folder or a proxy sends. */
  readonly fileNames: readonly AskedPath[];
  readonly hasEncodedSlash: boolean;
}

function foldedPath(parts: readonly string[]): AskedPath {
  return { parts, folded: parts.map((part) => part.toLowerCase()) };
}

/**
 * A folder, like most proxies, sends its index for `/docs/` and for `/docs/index.html`, so a rule for either name takes both:
 * otherwise a file that is sold by one name could be had by the other.
 */
function fileNamesOf(path: string, parts: readonly string[]): readonly (readonly string[])[] {
  if (path.endsWith("/")) return [[...parts, indexFile], parts];
  return parts.at(-1)?.toLowerCase() === indexFile ? [parts, parts.slice(0, -1)] : [parts];
}

function tryRule(
  { pattern, host, upstream }: RouteConfig,
  asked: Asked,
): Mismatch | Readonly<Record<string, string>> {
  if (pattern.method !== "*" && pattern.method !== asked.method) return "method";
  if (host !== undefined && hostKey(host) !== asked.host) return "host";
  const paths = maySendIndex(upstream) ? asked.fileNames : [asked.path];
  const found = firstOf(paths, (path) => matchSegments(pattern, path));
  if (!found) return "path";
  if (!found.isExact && !upstream.paths.caseInsensitive) return "case_only";
  if (asked.hasEncodedSlash && !upstream.paths.allowEncodedSlash) return "encoded_slash";
  return found.parameters;
}

function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function matchSegments(
  { segments, hasRest }: RouteConfig["pattern"],
  { parts, folded }: AskedPath,
) {
  if (hasRest ? parts.length < segments.length : parts.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  let isExact = true;
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? "";
    if (segment.kind === "parameter") parameters[segment.name] = part;
    else if (segment.folded !== folded[index]) return undefined;
    else if (segment.text !== part) isExact = false;
  }
  return { parameters, isExact };
}

/**
 * Whether an earlier rule would have matched in another case and has another price. Many upstreams
 * (Express, IIS) accept `/REPORTS` for `/reports`, so a later free rule would give paid content
 * away.
 */
function hasCaseDuplicate(passedOver: Explanation["passedOver"], taken: RouteConfig): boolean {
  return passedOver.some(
    ({ route, reason }) => reason === "case_only" && !hasSamePrice(route, taken),
  );
}
