/** The input and the output of a tool as JSON Schema, as the SDK lists them. */
import { isObject, type JsonObject } from "@farthing/protocol";
import { normalizeObjectSchema } from "@modelcontextprotocol/sdk/server/zod-compat.js";
import { toJsonSchemaCompat } from "@modelcontextprotocol/sdk/server/zod-json-schema-compat.js";
import type { Schema } from "./tool-call.ts";

interface ToolSchemas {
  readonly inputSchema?: Schema | undefined;
  readonly outputSchema?: Schema | undefined;
}

export function shapesOf({ inputSchema, outputSchema }: ToolSchemas) {
  const input = shapeOf(inputSchema, "input");
  const output = shapeOf(outputSchema, "output");
  return { ...(input && { input }), ...(output && { output }) };
}

/** Undefined for a schema that JSON Schema cannot express, such as one with a transformation. */
function shapeOf(
  schema: Schema | undefined,
  pipeStrategy: "input" | "output",
): JsonObject | undefined {
  const object = schema === undefined ? undefined : normalizeObjectSchema(schema);
  if (!object) return undefined;
  try {
    const shape: unknown = toJsonSchemaCompat(object, { strictUnions: true, pipeStrategy });
    if (!isObject(shape)) return undefined;
    // It stands within another schema, which names the dialect.
    const { $schema: _dialect, ...own } = shape;
    return own;
  } catch {
    return undefined;
  }
}
