/** Schemas of an OpenAPI 3 document as validators of JSON Schema, with the references resolved. */
import { isObject, member, type JsonObject } from "@farthing/protocol";
import { Compile, type Validator } from "typebox/schema";

/** Reads the schemas of one document. */
export type SchemaReader = ReturnType<typeof createSchemaReader>;

/** A schema cannot be used; the message says why. */
export class SchemaProblem extends Error {
  override readonly name = "SchemaProblem";
}

/** Objects and lists that the schema of one operation reaches; generated APIs have a few hundred. */
const maxSchemaParts = 20_000;

/** A reference to a reference to a component is already unusual. */
const maxReferences = 8;

const componentPrefix = "#/components/";

export function createSchemaReader(document: JsonObject) {
  const { openapi, components } = document;
  const isOld = typeof openapi === "string" && openapi.startsWith("3.0");
  const schemas = isObject(components) ? member(components, "schemas") : undefined;
  const converted = isObject(schemas)
    ? Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, convert(one, isOld)]))
    : {};
  const root = { components: { schemas: converted } };

  return {
    /** Follows references to components. Throws a SchemaProblem where one leads nowhere. */
    resolve(value: unknown): unknown {
      let found = value;
      for (let step = 0; step < maxReferences; step++) {
        const reference = isObject(found) ? member(found, "$ref") : undefined;
        if (typeof reference !== "string") return found;
        found = lookUp(document, reference);
      }
      throw new SchemaProblem("it has references in a circle");
    },
    /** Throws a SchemaProblem for a schema that cannot be compiled. */
    compile(schema: unknown): Validator {
      if (typeof schema !== "boolean" && !isObject(schema)) {
        throw new SchemaProblem("a schema is neither an object nor a boolean");
      }
      const own = convert(schema, isOld);
      checkReferences(root, own);
      try {
        return Compile({ ...root, allOf: [own] });
      } catch (cause) {
        throw new SchemaProblem("a schema has a pattern or a member that is not valid", { cause });
      }
    },
  };
}

function lookUp(document: JsonObject, reference: string): unknown {
  if (!reference.startsWith(componentPrefix)) {
    throw new SchemaProblem(`it refers to ${reference}, outside the document's components`);
  }
  let found: unknown = document;
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) ? member(found, key) : undefined;
  }
  if (found === undefined) throw new SchemaProblem(`it refers to ${reference}, which is missing`);
  return found;
}

/** A reference that leads nowhere would refuse every request. */
function checkReferences(root: JsonObject, schema: unknown): void {
  const seen = new Set<string>();
  const waiting: unknown[] = [schema];
  for (let parts = 0; waiting.length > 0; parts++) {
    if (parts > maxSchemaParts) throw new SchemaProblem(`it has more than ${maxSchemaParts} parts`);
    const value = waiting.pop();
    if (Array.isArray(value)) waiting.push(...value);
    if (!isObject(value)) continue;
    waiting.push(...Object.values(value));
    const reference = member(value, "$ref");
    if (typeof reference !== "string" || seen.has(reference)) continue;
    seen.add(reference);
    waiting.push(lookUp(root, reference));
  }
}

/**
 * Converts what OpenAPI writes in its own way: members that only responses have are not required, and
 * 3.0 has `nullable` and bounds that are excluded by a boolean.
 */
function convert(schema: unknown, isOld: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((one) => convert(one, isOld));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    // Values, in which the words of a schema mean nothing.
    const isValue = ["enum", "const", "default", "example", "examples"].includes(key);
    return [key, isValue ? value : convert(value, isOld)] as const;
  });
  const own = withoutReadOnly(Object.fromEntries(entries));
  return isOld ? fromOldWords(own) : own;
}

function withoutReadOnly(schema: JsonObject): JsonObject {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isObject(properties)) return schema;
  const names: readonly unknown[] = required;
  const isReadOnly = (name: unknown) => {
    const property = typeof name === "string" ? member(properties, name) : undefined;
    return isObject(property) && member(property, "readOnly") === true;
  };
  return { ...schema, required: names.filter((name) => !isReadOnly(name)) };
}

function fromOldWords(schema: JsonObject): JsonObject {
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
