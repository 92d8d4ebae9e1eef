/** OpenAPI 3 documents: their operations, also as rules of the gateway. */
import { isObject, type JsonObject } from "@farthing/protocol";
import { canonicalPath } from "../routing/canonical-path.ts";
import {
  parseRoutePattern,
  ruleMethods,
  type RuleMethod,
  type RoutePattern,
} from "../routing/route-pattern.ts";

export interface Operation {
  /** As the document writes it: `/reports/{id}`. */
  readonly path: string;
  readonly method: RuleMethod;
  readonly operation: JsonObject;
  /** The path's `parameters`, `summary` and `description` for all its operations. */
  readonly shared: JsonObject;
}

/** Explains why a document is not OpenAPI 3; undefined when it is. */
export function whyNoOpenapi(document: JsonObject): string | undefined {
  const { openapi, swagger, paths } = document;
  if (swagger !== undefined) return "is Swagger 2; convert it to OpenAPI 3 first";
  if (typeof openapi !== "string" || !openapi.startsWith("3.")) {
    return 'is no OpenAPI 3 document; it has no line "openapi": "3.…"';
  }
  return isObject(paths) ? undefined : "has no paths";
}

/** Returns all operations whose method a rule can name, in the order of the document. */
export function operationsOf(document: JsonObject): readonly Operation[] {
  const { paths } = document;
  if (!isObject(paths)) return [];
  return Object.entries(paths).flatMap(([path, item]) =>
    isObject(item) && path.startsWith("/") ? operationsAt(path, item) : [],
  );
}

function operationsAt(path: string, item: JsonObject): readonly Operation[] {
  const kept = ["parameters", "summary", "description"].filter((key) => Object.hasOwn(item, key));
  const shared = Object.fromEntries(kept.map((key) => [key, item[key]]));
  return ruleMethods.flatMap((method) => {
    const operation = item[method.toLowerCase()];
    return isObject(operation) ? [{ path, method, operation, shared }] : [];
  });
}

/** Returns the address of the first server, which may be a path; empty without one. */
export function serverUrlOf({ servers }: JsonObject): string {
  const list: readonly unknown[] = Array.isArray(servers) ? servers : [];
  const [first] = list;
  return isObject(first) && typeof first["url"] === "string" ? first["url"] : "";
}

/** Returns the path of the first server without a trailing slash, the prefix of every operation. */
export function basePathOf(document: JsonObject): string {
  const url = serverUrlOf(document);
  // The base allows for a server that is only a path.
  const path = URL.parse(url, "http://upstream.invalid")?.pathname.replace(/\/+$/, "") ?? "";
  return path === "" || canonicalPath(path, { allowEncodedSlash: false }) === undefined ? "" : path;
}

/** Converts an operation to a rule's pattern: `{id}` becomes `:id`. A text explains a failure. */
export function patternOf(method: RuleMethod, path: string): RoutePattern | string {
  return parseRoutePattern(matchOf(method, path));
}

export function matchOf(method: RuleMethod, path: string): string {
  const parts = path.split("/").map((part) => {
    const [, name] = /^\{([^{}]+)\}$/.exec(part) ?? [];
    // Names of parameters are free in OpenAPI; here they are letters, digits and _.
    return name === undefined ? part : `:${name.replace(/^\W*(?=\d)/, "_").replace(/\W/g, "_")}`;
  });
  return `${method} ${parts.join("/")}`;
}
