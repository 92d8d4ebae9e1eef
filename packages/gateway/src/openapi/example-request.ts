/** A request of a route that works as it is written, for people who copy it. */
import { isObject, member, type JsonObject } from "@farthing/protocol";
import type { GatewayConfig, RouteConfig } from "../configuration/configuration.ts";
import { compileRoutes } from "../routing/route-table.ts";
import { parametersIn } from "./operation-parameters.ts";
import type { SchemaReader } from "./operation-schemas.ts";
import { SchemaProblem } from "./schema-problem.ts";
import {
  nameOfTemplate,
  soldOperations,
  type SoldOperation,
  type SoldOperations,
} from "./sold-operations.ts";

export interface ExampleRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
}

/** Finds examples; undefined for a route of which none is known to work. */
export function createExamples(config: GatewayConfig) {
  const sold = soldOperations(config);
  const routes = compileRoutes(config);
  const { host: ownHost } = new URL(config.publicUrl);
  return (route: RouteConfig): ExampleRequest | undefined => {
    const example = describedExample(sold, route) ?? plainExample(route);
    if (!example) return undefined;
    const [path = ""] = example.path.split("?");
    const match = routes.match(example.method, route.host ?? ownHost, path);
    return match.kind === "route" && match.route === route ? example : undefined;
  };
}

/** A route without parameters is its own example, as far as nothing describes it. */
function plainExample({ pattern }: RouteConfig): ExampleRequest | undefined {
  const { method, path, segments, hasRest } = pattern;
  const isFixed = !hasRest && segments.every(({ kind }) => kind === "literal");
  return isFixed ? { method: method === "*" ? "GET" : method, path } : undefined;
}

function describedExample(
  { reader, operations }: SoldOperations,
  route: RouteConfig,
): ExampleRequest | undefined {
  const own = operations.filter(({ routes }) => routes.includes(route));
  for (const operation of own) {
    try {
      const example = exampleOf(reader, operation);
      if (example) return example;
    } catch (error) {
      // `farthing gateway check` names what is wrong with the document.
      if (!(error instanceof SchemaProblem)) throw error;
    }
  }
  return undefined;
}

function exampleOf(reader: SchemaReader, described: SoldOperation): ExampleRequest | undefined {
  const { segments, method, operation, shared } = described;
  const parameters = parametersIn(reader, [shared["parameters"], operation["parameters"]]);
  const valueOf = (place: string, name: string) => {
    const found = parameters.find((one) => one["in"] === place && one["name"] === name);
    return found && exampleIn(reader, found);
  };
  const parts: string[] = [];
  for (const segment of segments) {
    const name = nameOfTemplate(segment);
    const value = name === undefined ? undefined : valueOf("path", name);
    if (name !== undefined && !isPlain(value)) return undefined;
    parts.push(name === undefined ? segment : encodeURIComponent(String(value)));
  }
  const query = new URLSearchParams();
  for (const one of parameters.filter(({ in: place, required }) => place === "query" && required)) {
    const value = exampleIn(reader, one);
    if (!isPlain(value)) return undefined;
    query.set(String(one["name"]), `${value}`);
  }
  const text = query.size === 0 ? "" : `?${query}`;
  const request = { method, path: `/${parts.join("/")}${text}` };
  return withBody(reader, operation, request);
}

function withBody(reader: SchemaReader, operation: JsonObject, request: ExampleRequest) {
  const body = reader.resolve(operation["requestBody"]);
  if (!isObject(body)) return request;
  const content = member(body, "content");
  const media = isObject(content) ? member(content, "application/json") : undefined;
  const value = isObject(media) ? exampleIn(reader, media) : undefined;
  if (value === undefined) return body["required"] === true ? undefined : request;
  return { ...request, body: JSON.stringify(value) };
}

/** The example of a parameter or a body: its own, or that of its schema. */
function exampleIn(reader: SchemaReader, described: JsonObject): unknown {
  if (described["example"] !== undefined) return described["example"];
  const first = firstOf(described["examples"]);
  const named = reader.resolve(first);
  if (isObject(named) && !Array.isArray(described["examples"])) return member(named, "value");
  if (first !== undefined) return first;
  const schema = reader.resolve(described["schema"]);
  if (!isObject(schema)) return undefined;
  const { example, examples, default: usual, enum: choices, const: only } = schema;
  return example ?? firstOf(examples) ?? usual ?? only ?? firstOf(choices);
}

function firstOf(list: unknown): unknown {
  if (isObject(list)) return Object.values(list)[0];
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  return all[0];
}

function isPlain(value: unknown): value is string | number | boolean {
  if (typeof value === "string") return value !== "";
  return typeof value === "number" || typeof value === "boolean";
}
