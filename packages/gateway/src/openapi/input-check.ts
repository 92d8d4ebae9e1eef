/**
 * Input before money: requests for paid routes are validated against the upstream's OpenAPI document
 * before the 402 and before a payment is taken. What the document does not describe is let through.
 */
import { isObject, member, parseJson } from "@farthing/protocol";
import type { Validator } from "typebox/schema";
import type { GatewayConfig, RouteConfig } from "../configuration/configuration.ts";
import { errorResponse } from "../error-response.ts";
import type { Operation } from "./openapi-operations.ts";
import { isJson, isInRange, mediaTypeOf } from "./media-types.ts";
import { readParameters, type Parameter } from "./operation-parameters.ts";
import type { SchemaReader } from "./operation-schemas.ts";
import { SchemaProblem } from "./schema-problem.ts";
import {
  createFinder,
  onFirstUse,
  soldOperations,
  type FoundOperation,
  type SoldOperations,
} from "./sold-operations.ts";

/** Returns the response to a wrong request; undefined for one that may be paid for. */
export type OperationCheck = (request: Request) => Promise<Response | undefined>;

interface OperationRules {
  readonly parameters: readonly Parameter[];
  readonly body: BodyRules | undefined;
}

interface BodyRules {
  readonly isRequired: boolean;
  /** The media ranges as declared, with a validator for JSON. */
  readonly content: readonly { readonly range: string; readonly schema: Validator | undefined }[];
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
  { discovery }: GatewayConfig,
  sold: SoldOperations,
  route: RouteConfig,
): OperationCheck | undefined {
  const find = discovery.validate ? createFinder(sold, route) : undefined;
  if (!find) return undefined;
  const rulesOf = onFirstUse((operation) => compileRules(sold.reader, operation));
  return async (request) => {
    const found = find(request);
    if (!found) return undefined;
    const rules = rulesOf(found.operation);
    // `farthing gateway check` has said so; the upstream still looks at its requests.
    if (rules instanceof SchemaProblem) return undefined;
    return checkRequest(rules, found, request);
  };
}

async function checkRequest(
  rules: OperationRules,
  { path }: FoundOperation,
  request: Request,
): Promise<Response | undefined> {
  const query = new URL(request.url).searchParams;
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

/** Explains for each operation whose schemas cannot be used why its requests are not validated. */
export function findUnchecked(
  config: GatewayConfig,
): readonly { readonly name: string; readonly problem: string }[] {
  if (!config.discovery.validate) return [];
  const { reader, operations } = soldOperations(config);
  const rulesOf = onFirstUse((operation) => compileRules(reader, operation));
  return operations.flatMap((operation) => {
    const rules = rulesOf(operation);
    if (!(rules instanceof SchemaProblem)) return [];
    return [{ name: operation.name, problem: rules.message }];
  });
}
