/**
 * The extension `bazaar`: a challenge declares what the request takes and what comes back, so that
 * catalogues can show it and programs can call it. Nothing is validated by it.
 */
import { defined, isObject, member, type JsonObject } from "@farthing/protocol";
import { ConfigurationError } from "../option-values.ts";

const bazaarKey = "bazaar";

/** Shapes as JSON Schema; TypeBox objects are JSON Schema. The first of `examples` is shown. */
export interface Description {
  /** Of the query of GET, HEAD and DELETE, and of the JSON body of other methods. */
  readonly input?: JsonObject;
  /** Of the JSON content. */
  readonly output?: JsonObject;
  /** The described resource is this tool of an MCP server; its adapter says so. */
  readonly tool?: { readonly name: string; readonly description?: string };
}

const queryMethods = new Set(["GET", "HEAD", "DELETE"]);

/** Returns the `extensions` that declare a description for a request's method. */
export function declareBazaar(method: string, description: Description): JsonObject {
  const { tool } = description;
  return { [bazaarKey]: tool ? declareTool(tool, description) : declare(method, description) };
}

function declare(method: string, { input, output }: Description): JsonObject {
  const isQuery = queryMethods.has(method);
  const place = isQuery ? "queryParams" : "body";
  const example = exampleOf(input);
  const bodyType = isQuery ? undefined : "json";
  const required = ["type", "method", ...(isQuery ? [] : ["bodyType"])];
  return {
    info: {
      input: { type: "http", method, bodyType, [place]: example },
      output: output && { type: "json", example: exampleOf(output) },
    },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        input: {
          type: "object",
          properties: {
            type: { const: "http" },
            method: { type: "string", enum: [method] },
            bodyType: isQuery ? undefined : { type: "string", enum: ["json"] },
            [place]: input ?? { type: "object" },
          },
          required,
          additionalProperties: false,
        },
        output: output && {
          type: "object",
          properties: { type: { type: "string" }, example: output },
          required: ["type"],
        },
      },
      required: ["input"],
    },
  };
}

function declareTool(
  { name, description }: NonNullable<Description["tool"]>,
  { input = { type: "object" }, output }: Description,
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
        output: output && {
          type: "object",
          properties: { type: text, example: output },
          required: ["type"],
        },
      },
      required: ["input"],
    },
  };
}

/** Whether a challenge has room for a description. */
export function isShortDescription({ input, output }: Description): boolean {
  return JSON.stringify([input, output]).length <= maxDescribeChars;
}

function exampleOf(schema: JsonObject | undefined): unknown {
  const examples = schema && member(schema, "examples");
  return Array.isArray(examples) ? examples[0] : undefined;
}

/** The challenge travels in a header of at most about 8 KiB, and comes back with the payment. */
const maxDescribeChars = 3_000;

/** Throws {@link ConfigurationError} for a description that is no JSON Schema, or too long. */
export function parseDescription(describe: unknown): Description | undefined {
  if (describe === undefined) return undefined;
  const parts = isObject(describe) ? [describe["input"], describe["output"]] : [null];
  const isShort = JSON.stringify(parts).length <= maxDescribeChars;
  if (isShort && parts.every((part) => part === undefined || isObject(part)))
    return { ...describe };
  const shape = `JSON Schemas of input and output, ${maxDescribeChars} characters together`;
  throw new ConfigurationError("describe", shape, '{ output: { type: "object" } }');
}
