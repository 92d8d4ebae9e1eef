/** The pattern of a rule: `GET /v1/reports/:id`, `* /files/*`. */
import { canonicalPath, decodePath } from "./canonical-path.ts";

/** Methods that a rule can name. HEAD uses the rule of GET; `*` means all. */
export const ruleMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type RuleMethod = (typeof ruleMethods)[number];

/** Methods that are proxied. The gateway responds to OPTIONS itself, and to all others with 405. */
export const servedMethods: readonly string[] = ["HEAD", ...ruleMethods];

export type PatternSegment =
  /** Escapes decoded; `folded` is the lower-case form. */
  | { readonly kind: "literal"; readonly text: string; readonly folded: string }
  /** Any one segment that is not empty. */
  | { readonly kind: "parameter"; readonly name: string };

export interface RoutePattern {
  readonly method: RuleMethod | "*";
  /** As in the configuration, without the method. */
  readonly path: string;
  readonly segments: readonly PatternSegment[];
  /** A trailing `*`: any number of further segments. */
  readonly hasRest: boolean;
}

/** What a folder sends for its own path. */
export const indexFile = "index.html";

/** The shape of `match` as far as an expression can tell. */
export const matchPattern = String.raw`^(\*|[A-Z]+) /\S*$`;

/** Parses a rule's `match`; a text explains a failure. */
export function parseRoutePattern(match: string): RoutePattern | string {
  const [methodText = "", path = ""] = match.split(" ");
  const method = [...ruleMethods, "*" as const].find((known) => known === methodText);
  if (!method) return `${methodText} is no method of a rule; ${whyNot(methodText)}`;
  const parts = segmentsOf(path);
  const hasRest = parts.at(-1) === "*";
  const segments: PatternSegment[] = [];
  for (const part of hasRest ? parts.slice(0, -1) : parts) {
    const segment = parseSegment(part);
    if (typeof segment === "string") return segment;
    segments.push(segment);
  }
  const names = segments.flatMap((one) => (one.kind === "parameter" ? [one.name] : []));
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) return `it names the parameter :${duplicate} twice`;
  return { method, path, segments, hasRest };
}

/** Returns the segments of a canonical path or a pattern, without a trailing slash. */
export function segmentsOf(path: string): readonly string[] {
  const inner = path.replace(/^\//, "").replace(/\/$/, "");
  return inner === "" ? [] : inner.split("/");
}

function whyNot(method: string): string {
  if (method === "HEAD") return "HEAD takes the rule of GET";
  if (method === "OPTIONS") return "the gateway answers OPTIONS itself, free of charge";
  return `there are ${ruleMethods.join(", ")} and * for all of them`;
}

function parseSegment(part: string): PatternSegment | string {
  if (part === "") return "two slashes follow each other; such paths are refused";
  if (part.startsWith(":")) {
    return /^:[A-Za-z_]\w*$/.test(part)
      ? { kind: "parameter", name: part.slice(1) }
      : `${part} is no parameter; write a colon and a name of letters, digits and _`;
  }
  if (part.includes("{")) return `${part} is a parameter in part; only a whole segment can be one`;
  if (part.includes("*")) return `${part} holds a *, which can only stand alone at the end`;
  // A rule that is not canonical would never match.
  const canonical = canonicalPath(`/${part}`, { allowEncodedSlash: true });
  const text = decodePath(part);
  if (canonical !== `/${part}` || text === undefined) {
    return canonical === undefined
      ? `no request has "${part}" in its path; such paths are refused`
      : `${part} is written ${canonical.slice(1)}`;
  }
  return { kind: "literal", text, folded: text.toLowerCase() };
}
