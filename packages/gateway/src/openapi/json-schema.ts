/** Schemas of OpenAPI 3 in the words of JSON Schema 2020-12. */
import { isObject, member, type JsonObject } from "@farthing/protocol";

export interface Dialect {
  /** OpenAPI 3.0 has words of its own; later versions have those of JSON Schema. */
  readonly isOld: boolean;
  /** What marks members that are not sent: requests lack those that are `readOnly`. */
  readonly unsent: "readOnly" | "writeOnly";
}

/** Words whose value is a schema, or a list of schemas. */
const schemaWords = new Set(
  (
    "items prefixItems contains additionalProperties propertyNames allOf anyOf oneOf not " +
    "if then else unevaluatedItems unevaluatedProperties"
  ).split(" "),
);

/** Words whose value has schemas by names, which may be words of a schema too. */
const schemaMapWords = new Set(["properties", "patternProperties", "dependentSchemas", "$defs"]);

/** Returns a schema with another in the place of each schema directly within it. */
export function mapSchemas(schema: JsonObject, map: (inner: unknown) => unknown): JsonObject {
  const entries = Object.entries(schema).map(([word, value]): [string, unknown] => {
    if (schemaWords.has(word)) return [word, Array.isArray(value) ? value.map(map) : map(value)];
    if (!schemaMapWords.has(word) || !isObject(value)) return [word, value];
    return [word, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, map(one)]))];
  });
  return Object.fromEntries(entries);
}

/**
 * Converts what OpenAPI writes in its own way: members that are not sent are not required, and 3.0 has
 * `nullable` and bounds that are excluded by a boolean.
 */
export function toJsonSchema(schema: unknown, dialect: Dialect): unknown {
  if (!isObject(schema)) return schema;
  const own = mapSchemas(schema, (inner) => toJsonSchema(inner, dialect));
  const sent = requireSent(own, dialect.unsent);
  return dialect.isOld ? fromOldWords(sent) : sent;
}

/** Returns a schema that requires no member that is not sent. */
export function requireSent(schema: JsonObject, unsent: Dialect["unsent"]): JsonObject {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isObject(properties)) return schema;
  const names: readonly unknown[] = required;
  const isSent = (name: unknown) =>
    typeof name !== "string" || !isMarked(member(properties, name), unsent);
  return { ...schema, required: names.filter(isSent) };
}

/** Whether a schema says that its value is not sent. */
export function isMarked(schema: unknown, unsent: Dialect["unsent"]): boolean {
  return isObject(schema) && member(schema, unsent) === true;
}

/** Returns the words of OpenAPI 3.0 as those of JSON Schema. */
export function fromOldWords(schema: JsonObject): JsonObject {
  const { nullable, exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = schema;
  const bounds = {
    ...boundOf("inimum", minimum, exclusiveMinimum),
    ...boundOf("aximum", maximum, exclusiveMaximum),
  };
  const own = { ...rest, ...bounds };
  return nullable === true ? { anyOf: [{ type: "null" }, own] } : own;
}

function boundOf(name: "inimum" | "aximum", bound: unknown, excluded: unknown): JsonObject {
  if (typeof excluded === "number") return { [`exclusiveM${name}`]: excluded };
  if (bound === undefined) return {};
  return { [excluded === true ? `exclusiveM${name}` : `m${name}`]: bound };
}
