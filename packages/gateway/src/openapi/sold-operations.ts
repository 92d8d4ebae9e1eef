/** The operations of the upstream's document that fall under paid rules, and finding a request's. */
import type { GatewayConfig, RouteConfig } from "../configuration/configuration.ts";
import { decodePath } from "../routing/canonical-path.ts";
import { rulesFor } from "../routing/route-overlap.ts";
import { segmentsOf } from "../routing/route-pattern.ts";
import { basePathOf, operationsOf, patternOf, type Operation } from "./openapi-operations.ts";
import { createSchemaReader, type SchemaReader } from "./operation-schemas.ts";
import { SchemaProblem } from "./schema-problem.ts";

export interface SoldOperation extends Operation {
  /** For people: `POST /v1/orders`. */
  readonly name: string;
  readonly routes: readonly RouteConfig[];
  /** Of the public path, with `{name}` for parameters. */
  readonly segments: readonly string[];
}

export interface FoundOperation {
  readonly operation: SoldOperation;
  /** The parameters in the path. */
  readonly path: ReadonlyMap<string, string>;
}

export interface SoldOperations {
  readonly reader: SchemaReader;
  /** The most specific paths first. */
  readonly operations: readonly SoldOperation[];
}

/** Returns the operations that are sold; none without a document. */
export function soldOperations(config: GatewayConfig): SoldOperations {
  const { openapi = {} } = config.discovery;
  const base = basePathOf(openapi);
  const operations = operationsOf(openapi).flatMap((operation): SoldOperation[] => {
    const { method, path } = operation;
    const pattern = patternOf(method, base + path);
    const found = typeof pattern === "string" ? [] : rulesFor(config, pattern);
    const routes = found.filter(({ amountUnits }) => amountUnits !== undefined);
    if (routes.length === 0) return [];
    const name = `${method} ${base}${path}`;
    return [{ ...operation, name, routes, segments: segmentsOf(base + path) }];
  });
  return {
    reader: createSchemaReader(openapi),
    operations: operations.toSorted((one, other) => templatesIn(one) - templatesIn(other)),
  };
}

function templatesIn({ segments }: SoldOperation): number {
  return segments.filter((segment) => nameOfTemplate(segment) !== undefined).length;
}

/** Returns the name of a segment that is a parameter: `id` of `{id}`. */
export function nameOfTemplate(segment: string): string | undefined {
  return /^\{([^{}]+)\}$/.exec(segment)?.[1];
}

/** Returns what finds the operation of a route's requests; undefined where none is described. */
export function createFinder({ operations }: SoldOperations, route: RouteConfig) {
  const own = operations.filter(({ routes }) => routes.some((one) => one.index === route.index));
  if (own.length === 0) return undefined;
  const isCaseIgnored = route.upstream.paths.caseInsensitive;
  return (request: Pick<Request, "method" | "url">): FoundOperation | undefined => {
    const { pathname } = new URL(request.url);
    const parts = segmentsOf(pathname).map((part) => decodePath(part) ?? part);
    const method = request.method === "HEAD" ? "GET" : request.method;
    for (const operation of own) {
      const path = operation.method === method && matchPath(operation, parts, isCaseIgnored);
      if (path) return { operation, path };
    }
    return undefined;
  };
}

function matchPath(
  { segments }: SoldOperation,
  parts: readonly string[],
  isCaseIgnored: boolean,
): ReadonlyMap<string, string> | undefined {
  if (segments.length !== parts.length) return undefined;
  const values = new Map<string, string>();
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? "";
    const name = nameOfTemplate(segment);
    const literal = decodePath(segment) ?? segment;
    if (name !== undefined) values.set(name, part);
    else if (literal !== part && !(isCaseIgnored && isSameWord(literal, part))) return undefined;
  }
  return values;
}

function isSameWord(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Reads an operation on its first use, because a document can have thousands. */
export function onFirstUse<T>(
  read: (operation: SoldOperation) => T,
): (operation: SoldOperation) => T | SchemaProblem {
  const known = new Map<SoldOperation, T | SchemaProblem>();
  return (operation) => {
    const before = known.get(operation);
    if (before !== undefined) return before;
    const now = readOrProblem(() => read(operation));
    known.set(operation, now);
    return now;
  };
}

function readOrProblem<T>(read: () => T): T | SchemaProblem {
  try {
    return read();
  } catch (error) {
    if (error instanceof SchemaProblem) return error;
    throw error;
  }
}
