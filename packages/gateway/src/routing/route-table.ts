/** Finds the rule of a request: the first that matches its method, host and canonical path. */
import { decodePath, hostKey } from "./canonical-path.ts";
import { allRoutes, type GatewayConfig, type RouteConfig } from "../configuration/configuration.ts";
import { segmentsOf, servedMethods } from "./route-pattern.ts";

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
  /** `method` is in capitals, `host` is the Host header, and `path` is canonical. */
  const explain = (method: string, host: string | undefined, path: string): Explanation => {
    const passedOver: { route: RouteConfig; reason: Mismatch }[] = [];
    const end = (match: RouteMatch) => ({ match, passedOver });
    const asked = hostKey(host);
    if (knownHosts && !knownHosts.has(asked)) return end({ kind: "unknown_host" });
    if (!servedMethods.includes(method)) return end({ kind: "method_not_allowed" });
    const parts = segmentsOf(path).map((part) => decodePath(part) ?? part);
    const request: Asked = {
      method: method === "HEAD" ? "GET" : method,
      host: asked,
      parts,
      folded: parts.map((part) => part.toLowerCase()),
      hasEncodedSlash: path.includes("%2F"),
    };
    for (const route of rules) {
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
    match: (...asked: Parameters<typeof explain>) => explain(...asked).match,
    explain,
  };
}

/** Returns the known hosts as soon as a rule names one; undefined: all hosts. */
function hostsOf({ routes, publicUrl }: GatewayConfig): ReadonlySet<string> | undefined {
  const named = routes.flatMap(({ host }) => (host === undefined ? [] : [hostKey(host)]));
  return named.length === 0 ? undefined : new Set([...named, hostKey(new URL(publicUrl).host)]);
}

interface Asked {
  readonly method: string;
  readonly host: string;
  /** Segments with their escapes decoded, because servers decode at different times. */
  readonly parts: readonly string[];
  /** In lower case. */
  readonly folded: readonly string[];
  readonly hasEncodedSlash: boolean;
}

function tryRule(
  { pattern, host, upstream }: RouteConfig,
  asked: Asked,
): Mismatch | Readonly<Record<string, string>> {
  if (pattern.method !== "*" && pattern.method !== asked.method) return "method";
  if (host !== undefined && hostKey(host) !== asked.host) return "host";
  const found = matchSegments(pattern, asked);
  if (!found) return "path";
  if (!found.isExact && !upstream.paths.caseInsensitive) return "case_only";
  if (asked.hasEncodedSlash && !upstream.paths.allowEncodedSlash) return "encoded_slash";
  return found.parameters;
}

function matchSegments({ segments, hasRest }: RouteConfig["pattern"], { parts, folded }: Asked) {
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
    ({ route, reason }) => reason === "case_only" && route.amountUnits !== taken.amountUnits,
  );
}
