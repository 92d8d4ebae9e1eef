/** Shapes that sellers describe: JSON Schema as it is, and the objects of schema libraries converted. */
import { isObject, type JsonObject } from "@farthing/protocol";
import { ConfigurationError } from "../option-values.ts";

/** What a schema with a default or a transformation takes differs from what it returns. */
export type Direction = "input" | "output";

/** Standard JSON Schema (standardschema.dev/json-schema), as far as it is used here. */
interface SelfDescribing {
  readonly "~standard": {
    readonly jsonSchema: Readonly<Record<Direction, (options: { target: string }) => unknown>>;
  };
}

/** Returns a shape as JSON Schema. Throws {@link ConfigurationError} for one that has none. */
export function shapeOf(value: unknown, direction: Direction, field: string): JsonObject {
  if (!isLibraryObject(value)) {
    if (isObject(value)) return value;
    throw new ConfigurationError(field, "a JSON Schema", '{ type: "object" }');
  }
  if (!describesItself(value)) {
    const shape = "an object of a version that converts itself to JSON Schema, or the JSON Schema";
    throw new ConfigurationError(field, shape, "z.toJSONSchema(schema), or zod 4.2 or later");
  }
  const shape = convert(value, direction, field);
  // It stands within another schema, which names the dialect.
  const { $schema: _dialect, ...own } = isObject(shape) ? shape : {};
  return own;
}

function convert(value: SelfDescribing, direction: Direction, field: string): unknown {
  try {
    return value["~standard"].jsonSchema[direction]({ target: "draft-2020-12" });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const shape = `a schema that JSON Schema can express (${reason})`;
    throw new ConfigurationError(field, shape, "z.iso.datetime() in place of z.date()");
  }
}

/** Schemas are objects in zod and Valibot, and functions in ArkType. */
function isLibraryObject(value: unknown): value is { readonly "~standard": unknown } {
  const isAny = (typeof value === "object" && value !== null) || typeof value === "function";
  return isAny && "~standard" in value;
}

function describesItself(value: { readonly "~standard": unknown }): value is SelfDescribing {
  const standard = value["~standard"];
  const converters = isObject(standard) ? standard["jsonSchema"] : undefined;
  if (!isObject(converters)) return false;
  return typeof converters["input"] === "function" && typeof converters["output"] === "function";
}
