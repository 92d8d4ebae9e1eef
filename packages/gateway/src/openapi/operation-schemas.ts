/** Schemas of an OpenAPI 3 document as validators of JSON Schema, with the references resolved. */
import { isObject, member, type JsonObject } from "@farthing/protocol";
import { Compile, type Validator } from "typebox/schema";
import { inlineSchema, type InlineOptions } from "./inline-schema.ts";
import { toJsonSchema, type Dialect } from "./json-schema.ts";
import { SchemaProblem } from "./schema-problem.ts";

/** Reads the schemas of one document. */
export type SchemaReader = ReturnType<typeof createSchemaReader>;

/** Objects and lists that the schema of one operation reaches; generated APIs have a few hundred. */
const maxSchemaParts = 20_000;

/** A reference to a reference to a component is already unusual. */
const maxReferences = 8;

const componentPrefix = "#/components/";

export function createSchemaReader(document: JsonObject) {
  const { openapi, components } = document;
  const isOld = typeof openapi === "string" && openapi.startsWith("3.0");
  const sent: Dialect = { isOld, unsent: "readOnly" };
  const schemas = isObject(components) ? member(components, "schemas") : undefined;
  const converted = isObject(schemas)
    ? Object.fromEntries(
        Object.entries(schemas).map(([name, one]) => [name, toJsonSchema(one, sent)]),
      )
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
      const own = toJsonSchema(schema, sent);
      checkReferences(root, own);
      return compile({ ...root, allOf: [own] });
    },
    /** Returns a schema without references. Throws a SchemaProblem where that is not possible. */
    inline(schema: unknown, options: Omit<InlineOptions, "isOld" | "find">): unknown {
      return inlineSchema(schema, { ...options, isOld, find: (text) => lookUp(document, text) });
    },
  };
}

/** Compiles a schema without references to a document. Throws a SchemaProblem. */
export function compile(schema: JsonObject): Validator {
  try {
    return Compile({ ...schema });
  } catch (cause) {
    throw new SchemaProblem("a schema has a pattern or a member that is not valid", { cause });
  }
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
