/**
 * Input before money: requests for paid routes are validated against the upstream's OpenAPI document
 * before the 402 and before a payment is taken. What the document does not describe is let through.
 */
import { isObject, member, parseJson } from "@farthing/protocol";
import type { Validator } from "typebox/schema";
import type { GatewayConfig, RouteConfig } from "../configuration/configuration.ts";
import { errorResponse } from "../error-response.ts";
import { decodePath } from "../routing/canonical-path.ts";
import { rulesFor } from "../routing/route-overlap.ts";
import { segmentsOf } from "../routing/route-pattern.ts";
import { createSchemaReader, SchemaProblem, type SchemaReader } from "./operation-schemas.ts";
import { basePathOf, operationsOf, patternOf, type Operation } from "./openapi-operations.ts";
import { readParameters, type Parameter } from "./operation-parameters.ts";

/** Returns the response to a wrong request; undefined for one that may be paid for. */
export type OperationCheck = (request: Request) => Promise<Response | undefined>;

/** An operation of the document whose requests are sold. */
export interface CheckedOperation {
  readonly name: string;
  readonly routes: readonly RouteConfig[];
  readonly method: string;
  readonly segments: readonly string[];
  /** Compiles on the first call. Throws a SchemaProblem. */
  readonly rules: () => OperationRules;
}

interface OperationRules {
  readonly parameters: readonly Parameter[];
  readonly body: BodyRules | undefined;
}

interface BodyRules {
  readonly isRequired: boolean;
  /** The media ranges as declared, with a validator for JSON. */
  readonly content: readonly { readonly range: string; readonly schema: Validator | undefined }[];
}

/** Returns the operations that fall under a paid rule, the most specific paths first. */
export function checkedOperations(config: GatewayConfig): readonly CheckedOperation[] {
  const { openapi, validate } = config.discovery;
  if (!openapi || !validate) return [];
  const reader = createSchemaReader(openapi);
  const base = basePathOf(openapi);
  return operationsOf(openapi)
    .flatMap((operation) => {
      const { method, path } = operation;
      const pattern = patternOf(method, base + path);
      const found = typeof pattern === "string" ? [] : rulesFor(config, pattern);
      const routes = found.filter(({ amountUnits }) => amountUnits !== undefined);
      if (routes.length === 0) return [];
      const rules = once(() => compileRules(reader, operation));
      const segments = segmentsOf(base + path);
      return [{ name: `${method} ${base}${path}`, routes, method, segments, rules }];
    })
    .toSorted((one, other) => parametersIn(one) - parametersIn(other));
}

function parametersIn({ segments }: CheckedOperation): number {
  return segments.filter((segment) => nameOfTemplate(segment) !== undefined).length;
}

function nameOfTemplate(segment: string): string | undefined {
  return /^\{([^{}]+)\}$/.exec(segment)?.[1];
}

function once<T>(create: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: create() }).value;
}

function compileRules(
  reader: SchemaReader,
  { operation, shared }: Pick<Operation, "operation" | "shared">,
): OperationRules {
  const parameters = readParameters(reader, [shared["parameters"], operation["parameters"]]);
  const body = reader.resolve(operation["requestBody"]);
  const content = isObject(body) ? member(body, "content") : undefined;
  if (!isObject(body) || !isObject(content)) return { parameters, body: undefined };
  const ranges = Object.entries(content).map(([range, media]) => {
    const schema = isObject(media) && isJson(range) ? member(media, "schema") : undefined;
    const validator = schema === undefined ? undefined : reader.compile(schema);
    return { range: mediaTypeOf(range), schema: validator };
  });
  return { parameters, body: { isRequired: body["required"] === true, content: ranges } };
}

/** Returns the check of a route's requests; undefined where the document describes none of them. */
export function createOperationCheck(
  operations: readonly CheckedOperation[],
  route: RouteConfig,
): OperationCheck | undefined {
  const own = operations.filter(({ routes }) => routes.includes(route));
  if (own.length === 0) return undefined;
  const isCaseIgnored = route.upstream.paths.caseInsensitive;
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const parts = segmentsOf(pathname).map((part) => decodePath(part) ?? part);
    const method = request.method === "HEAD" ? "GET" : request.method;
    for (const operation of own) {
      const path = operation.method === method && matchPath(operation, parts, isCaseIgnored);
      if (path) return checkRequest(operation, { request, path, query: searchParams });
    }
    return undefined;
  };
}

function matchPath(
  { segments }: CheckedOperation,
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

interface CheckedRequest {
  readonly request: Request;
  readonly path: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
}

async function checkRequest(
  operation: CheckedOperation,
  { request, path, query }: CheckedRequest,
): Promise<Response | undefined> {
  let rules: OperationRules;
  try {
    rules = operation.rules();
  } catch (error) {
    // `farthing gateway check` has said so; the upstream still looks at its requests.
    if (error instanceof SchemaProblem) return undefined;
    throw error;
  }
  const problems = rules.parameters.flatMap(({ place, name, findProblem }) => {
    const given = path.get(name);
    const values = place === "query" ? query.getAll(name) : given === undefined ? [] : [given];
    const problem = findProblem(values);
    return problem === undefined ? [] : [`${place} parameter ${name} ${problem}`];
  });
  if (problems.length > 0) return refuse(400, problems);
  return request.method === "HEAD" ? undefined : checkBody(rules.body, request);
}

async function checkBody(
  rules: BodyRules | undefined,
  request: Request,
): Promise<Response | undefined> {
  if (!rules) return undefined;
  const text = await request.text();
  if (text === "") return rules.isRequired ? refuse(400, ["a body is required"]) : undefined;
  const type = mediaTypeOf(request.headers.get("Content-Type") ?? "");
  const declared = rules.content.find(({ range }) => isInRange(type, range));
  if (!declared) {
    return refuse(415, [
      `the body must be ${rules.content.map(({ range }) => range).join(" or ")}`,
    ]);
  }
  const { schema } = declared;
  if (!schema || !isJson(type)) return undefined;
  const parsed = parseJson(text);
  if (!parsed) return refuse(400, ["the body is no JSON, or deeper than 32 levels"]);
  if (schema.Check(parsed.value)) return undefined;
  const [, errors] = schema.Errors(parsed.value);
  return refuse(
    422,
    errors.map(({ instancePath, message }) => `body${instancePath} ${message}`),
  );
}

/** A response names the first problems; a wrong list can have thousands. */
const maxProblems = 5;

/** A name in a path of a problem can be as long as the body. */
const maxProblemChars = 200;

function refuse(status: 400 | 415 | 422, problems: readonly string[]): Response {
  const shown = problems.slice(0, maxProblems).map((problem) => problem.slice(0, maxProblemChars));
  const more = problems.length > maxProblems ? "; and more" : "";
  const message = `Nothing was charged. The request does not fit the API: ${shown.join("; ")}${more}.`;
  return errorResponse(status, "invalid_input", message);
}

function mediaTypeOf(header: string): string {
  return (header.split(";")[0] ?? "").trim().toLowerCase();
}

function isJson(type: string): boolean {
  return /^application\/([\w.-]+\+)?json$/.test(mediaTypeOf(type));
}

function isInRange(type: string, range: string): boolean {
  if (range === "*/*" || range === type) return true;
  return range.endsWith("/*") && type.startsWith(range.slice(0, -1));
}

/** Explains for each operation whose schemas cannot be used why its requests are not validated. */
export function findUnchecked(
  config: GatewayConfig,
): readonly { readonly name: string; readonly problem: string }[] {
  return checkedOperations(config).flatMap(({ name, rules }) => {
    try {
      rules();
      return [];
    } catch (error) {
      if (error instanceof SchemaProblem) return [{ name, problem: error.message }];
      throw error;
    }
  });
}
