/** Reads the description of an operation from the upstream's document. */
import { defined, isObject, isRouteTemplate, member, type JsonObject } from "@farthing/protocol";
import type { BodyType, ParsedDescription } from "@farthing/seller";
import type { RouteConfig } from "../configuration/configuration.ts";
import { isPassedToUpstream, requestRule } from "../headers/header-rules.ts";
import { hasMarkup } from "./inline-schema.ts";
import { isInRange, isJson, mediaTypeOf } from "./media-types.ts";
import { parametersIn } from "./operation-parameters.ts";
import { compile, type SchemaReader } from "./operation-schemas.ts";
import { SchemaProblem } from "./schema-problem.ts";
import { nameOfTemplate, type SoldOperation } from "./sold-operations.ts";

export interface Detail {
  /** Whether titles and descriptions are read. */
  readonly hasTexts: boolean;
  readonly hasExamples: boolean;
}

/** In the order in which parts are left out where there is no room. */
export const partNames = ["output", "input", "queryParams", "headers", "pathParams"] as const;

export type Part = (typeof partNames)[number];

export interface ReadDescription {
  readonly description: ParsedDescription;
  /** Why parts cannot be described. */
  readonly problems: readonly { readonly part: Part; readonly problem: string }[];
}

export function readDescription(
  reader: SchemaReader,
  { method, operation, shared, segments }: SoldOperation,
  route: RouteConfig,
  detail: Detail,
): ReadDescription {
  const lists = [shared["parameters"], operation["parameters"]];
  const rule = requestRule(route);
  const at = (place: string, isShown = (_name: string) => true) =>
    describeParameters(
      reader,
      parametersIn(reader, lists).filter(
        ({ in: own, name }) => own === place && isShown(String(name)),
      ),
      detail,
    );
  const problems: { part: Part; problem: string }[] = [];
  const read = <T>(part: Part, describe: () => T): T | undefined => {
    try {
      return describe();
    } catch (error) {
      if (!(error instanceof SchemaProblem)) throw error;
      problems.push({ part, problem: error.message });
      return undefined;
    }
  };
  const hasBody = method === "POST" || method === "PUT" || method === "PATCH";
  const routeTemplate = templateOf(segments);
  const description: ParsedDescription = defined({
    ...(hasBody
      ? {
          ...read("input", () => describeBody(reader, operation["requestBody"], detail)),
          queryParams: read("queryParams", () => at("query")),
        }
      : { input: read("input", () => at("query")) }),
    pathParams: routeTemplate === undefined ? undefined : read("pathParams", () => at("path")),
    headers: read("headers", () =>
      at("header", (name) => !isIgnored(name) && isPassedToUpstream(name, rule)),
    ),
    output: read("output", () => describeResponse(reader, operation["responses"], detail)),
    routeTemplate,
  });
  return { description, problems };
}

/** OpenAPI ignores parameters of these names. */
function isIgnored(header: string): boolean {
  return ["accept", "content-type", "authorization"].includes(header.toLowerCase());
}

/** `/users/:id`; undefined for a path without parameters, or one that catalogues would refuse. */
function templateOf(segments: readonly string[]): string | undefined {
  const names = segments.map(nameOfTemplate);
  const known = names.filter((name) => name !== undefined);
  if (known.length === 0 || known.some((name) => !/^[\w-]+$/.test(name))) return undefined;
  const parts = segments.map((segment, at) =>
    names[at] === undefined ? segment : `:${names[at]}`,
  );
  const template = `/${parts.join("/")}`;
  return isRouteTemplate(template) ? template : undefined;
}

/** Describes parameters as the members of an object; undefined without any. */
function describeParameters(
  reader: SchemaReader,
  given: readonly JsonObject[],
  detail: Detail,
): JsonObject | undefined {
  if (given.length === 0) return undefined;
  const properties = given.map((one) => [one["name"], describeParameter(reader, one, detail)]);
  const required = given.filter((one) => one["required"] === true).map(({ name }) => name);
  const examples = given
    .map((one) => [one["name"], exampleIn(reader, one)])
    .filter(([, example]) => example !== undefined);
  const shape = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
  return withExample(shape, examples.length > 0 ? Object.fromEntries(examples) : undefined, detail);
}

function describeParameter(
  reader: SchemaReader,
  { schema = {}, description }: JsonObject,
  detail: Detail,
): unknown {
  const shape = reader.inline(schema, { unsent: "readOnly", ...detail });
  const isShown = detail.hasTexts && typeof description === "string" && !hasMarkup(description);
  return isShown && isObject(shape) ? { description, ...shape } : shape;
}

const bodyTypes: readonly { readonly name: BodyType; isIn(type: string): boolean }[] = [
  { name: "json", isIn: isJson },
  {
    name: "form-data",
    isIn: (type) => type === "multipart/form-data" || type === "application/x-www-form-urlencoded",
  },
  { name: "text", isIn: (type) => isInRange(type, "text/*") },
];

function describeBody(reader: SchemaReader, given: unknown, detail: Detail) {
  const body = reader.resolve(given);
  for (const { name, isIn } of bodyTypes) {
    const media = mediaIn(body, isIn);
    const input = media && describeMedia(reader, media, "readOnly", detail);
    if (media) return defined({ bodyType: name, input });
  }
  return {};
}

/** Describes the JSON of the first response of success. */
function describeResponse(
  reader: SchemaReader,
  responses: unknown,
  detail: Detail,
): JsonObject | undefined {
  if (!isObject(responses)) return undefined;
  const [status = ""] = Object.keys(responses)
    .filter((key) => /^2(\d\d|XX)$/i.test(key))
    .toSorted();
  const media = mediaIn(reader.resolve(member(responses, status)), isJson);
  return media && describeMedia(reader, media, "writeOnly", detail);
}

function mediaIn(holder: unknown, isIn: (type: string) => boolean): JsonObject | undefined {
  const content = isObject(holder) ? member(holder, "content") : undefined;
  if (!isObject(content)) return undefined;
  const [, found] = Object.entries(content).find(([range]) => isIn(mediaTypeOf(range))) ?? [];
  return isObject(found) ? found : undefined;
}

/** Undefined without a schema, and for one that says nothing. */
function describeMedia(
  reader: SchemaReader,
  media: JsonObject,
  unsent: "readOnly" | "writeOnly",
  detail: Detail,
): JsonObject | undefined {
  const { schema } = media;
  const shape = schema === undefined ? {} : reader.inline(schema, { unsent, ...detail });
  if (!isObject(shape) || Object.keys(shape).length === 0) return undefined;
  return withExample(shape, exampleIn(reader, media), detail);
}

/** Returns the example of a parameter or of content, else that of its schema. */
function exampleIn(reader: SchemaReader, { example, examples, schema }: JsonObject): unknown {
  if (example !== undefined) return example;
  const named: unknown = isObject(examples) ? Object.values(examples)[0] : undefined;
  const first = reader.resolve(named);
  if (isObject(first) && first["value"] !== undefined) return first["value"];
  const own = reader.resolve(schema);
  if (!isObject(own)) return undefined;
  if (own["example"] !== undefined) return own["example"];
  return Array.isArray(own["examples"]) ? own["examples"][0] : undefined;
}

/** Adds an example that fits the schema: catalogues refuse a declaration with another. */
function withExample(shape: JsonObject, example: unknown, { hasExamples }: Detail): JsonObject {
  // Compiled in any case, because a pattern that is not valid spoils the declaration as well.
  const validator = compile(shape);
  if (!hasExamples || example === undefined || hasMarkup(example)) return shape;
  return validator.Check(example) ? { ...shape, examples: [example] } : shape;
}
