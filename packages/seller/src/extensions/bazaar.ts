/**
 * The extension `bazaar`: a challenge declares what the request takes and what comes back, so that
 * catalogues can show it and programs can call it. Nothing is validated by it.
 */
import {
  bazaarKey,
  defined,
  isDeeperThan,
  isObject,
  isRouteTemplate,
  member,
  type JsonObject,
} from "@farthing/protocol";
import { withoutBody } from "../body.ts";
import { ConfigurationError } from "../option-values.ts";
import { shapeOf, type Direction } from "./described-shape.ts";

/**
 * Shapes as JSON Schema, or as objects that convert themselves to it (Standard JSON Schema), such as
 * those of zod 4.2 and later. TypeBox objects are JSON Schema. The first of `examples` is shown.
 */
export interface Description {
  /** Of the query of GET, HEAD and DELETE, and of the body of other methods. */
  readonly input?: object;
  /** Of the JSON content. */
  readonly output?: object;
  /** Of the query of methods with a body. */
  readonly queryParams?: object;
  /** Of the parameters in the path, by name. */
  readonly pathParams?: object;
  /** Of the headers that the request takes. */
  readonly headers?: object;
  /** `json` by default. */
  readonly bodyType?: BodyType;
  /** The path with a colon before each parameter: `/users/:id`. */
  readonly routeTemplate?: string;
  /** The described resource is this tool of an MCP server; its adapter says so. */
  readonly tool?: { readonly name: string; readonly description?: string };
}

export type BodyType = "json" | "form-data" | "text";

const bodyTypes: readonly unknown[] = ["json", "form-data", "text", undefined];

/** A description whose shapes are JSON Schema. */
export interface ParsedDescription extends Shapes, Omit<Description, ShapeName> {}

type Shapes = { readonly [name in ShapeName]?: JsonObject };

type ShapeName = keyof typeof directions;

/** What is sent converts as input, and what comes back as output. */
const directions = {
  input: "input",
  output: "output",
  queryParams: "input",
  pathParams: "input",
  headers: "input",
} as const satisfies Partial<Record<keyof Description, Direction>>;

const shapeNames = ["input", "output", "queryParams", "pathParams", "headers"] as const;

const queryMethods = new Set(["GET", "HEAD", "DELETE"]);

/** A route's description, or what creates one for each request. */
export type ParsedDescribe<R> =
  | ParsedDescription
  | undefined
  | ((request: Request, original: R) => Promise<ParsedDescription | undefined>);

/** Returns the `extensions` that declare the description of a request. */
export async function declareBazaar<R>(
  describe: ParsedDescribe<R>,
  request: Request,
  original: R,
): Promise<JsonObject> {
  const description =
    typeof describe === "function" ? await describe(withoutBody(request), original) : describe;
  if (!description) return {};
  const { tool } = description;
  const declared = tool ? declareTool(tool, description) : declare(request.method, description);
  return { [bazaarKey]: declared };
}

function declare(method: string, description: ParsedDescription): JsonObject {
  const { input, output, headers, pathParams, routeTemplate } = description;
  const isQuery = queryMethods.has(method);
  const bodyType = isQuery ? undefined : (description.bodyType ?? (input && "json"));
  const places = defined({
    queryParams: isQuery ? (input ?? { type: "object" }) : description.queryParams,
    body: bodyType && (input ?? { type: "object" }),
    pathParams,
    headers,
  });
  const examples = Object.entries(places).map(([name, shape]) => [name, exampleOf(shape)]);
  const shapes = Object.entries(places).map(([name, shape]) => [name, withoutExamples(shape)]);
  return defined({
    info: {
      input: { type: "http", method, bodyType, ...Object.fromEntries(examples) },
      output: output && { type: "json", example: exampleOf(output) },
    },
    routeTemplate,
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        input: {
          type: "object",
          properties: {
            type: { type: "string", const: "http" },
            method: { type: "string", enum: [method] },
            bodyType: bodyType && { type: "string", enum: [bodyType] },
            ...Object.fromEntries(shapes),
          },
          required: ["type", "method", ...(bodyType ? ["bodyType"] : [])],
          additionalProperties: false,
        },
        output: output && declareOutput(output),
      },
      required: ["input"],
    },
  });
}

function declareTool(
  { name, description }: NonNullable<Description["tool"]>,
  { input = { type: "object" }, output }: ParsedDescription,
): JsonObject {
  const example = exampleOf(input);
  const text = { type: "string" };
  return {
    info: {
      input: defined({ type: "mcp", toolName: name, description, inputSchema: input, example }),
      output: output && defined({ type: "json", example: exampleOf(output) }),
    },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        input: {
          type: "object",
          properties: defined({
            type: { ...text, const: "mcp" },
            toolName: text,
            description: description === undefined ? undefined : text,
            inputSchema: { type: "object" },
            example: example === undefined ? undefined : { type: "object" },
          }),
          required: ["type", "toolName", "inputSchema"],
          additionalProperties: false,
        },
        output: output && declareOutput(output),
      },
      required: ["input"],
    },
  };
}

function declareOutput(output: JsonObject): JsonObject {
  return {
    type: "object",
    properties: { type: { type: "string" }, example: withoutExamples(output) },
    required: ["type"],
  };
}

function exampleOf(schema: JsonObject): unknown {
  const examples = member(schema, "examples");
  return Array.isArray(examples) ? examples[0] : undefined;
}

/** The example stands beside the schema. */
function withoutExamples({ examples: _shown, ...shape }: JsonObject): JsonObject {
  return shape;
}

/** The challenge travels in a header of at most about 8 KiB, and comes back with the payment. */
export const maxDescribeChars = 3_000;

/** JSON is read up to 32 levels; the challenge and the facilitator's calls have 10 around a shape. */
const maxDescribeLevels = 20;

/** Whether a challenge has room for a description. */
export function isShortDescription(description: ParsedDescription): boolean {
  const { routeTemplate, ...rest } = description;
  const shapes = JSON.stringify(shapeNames.map((name) => rest[name]));
  if (shapes.length + (routeTemplate?.length ?? 0) > maxDescribeChars) return false;
  return !isDeeperThan(shapes, maxDescribeLevels);
}

/** Throws {@link ConfigurationError} for a description that cannot be declared. */
export function parseDescription(describe: unknown): ParsedDescription | undefined {
  if (describe === undefined) return undefined;
  const parts = isObject(describe) ? describe : refuse();
  const { routeTemplate, bodyType, tool } = parts;
  const isTemplate = routeTemplate === undefined || isRouteTemplate(routeTemplate);
  if (!isTemplate || !bodyTypes.includes(bodyType)) return refuse();
  const shapes = shapeNames.map((name) => {
    const shape = parts[name];
    const field = `describe.${name}`;
    return [name, shape === undefined ? undefined : shapeOf(shape, directions[name], field)];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member has been looked at
  const parsed = defined({
    ...Object.fromEntries(shapes),
    routeTemplate,
    bodyType,
    tool,
  }) as ParsedDescription;
  return isShortDescription(parsed) ? parsed : refuse();
}

function refuse(): never {
  const shape = `JSON Schemas of input and output, or zod or TypeBox objects, ${maxDescribeChars} characters and ${maxDescribeLevels} levels together`;
  throw new ConfigurationError("describe", shape, '{ output: { type: "object" } }');
}
