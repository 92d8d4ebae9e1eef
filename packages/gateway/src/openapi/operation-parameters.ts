/**
 * The parameters of an operation in path and query. Headers and cookies are left to the upstream: the
 * gateway writes and removes some of them.
 */
import { isObject, member, type JsonObject } from "@farthing/protocol";
import type { Validator } from "typebox/schema";
import type { SchemaReader } from "./operation-schemas.ts";

export interface Parameter {
  readonly place: "path" | "query";
  readonly name: string;
  /** Explains what is wrong with the given values; undefined when nothing is. */
  readonly findProblem: (values: readonly string[]) => string | undefined;
}

/** Reads the lists of a path and its operation, whose entries replace those of the path. */
export function readParameters(
  reader: SchemaReader,
  lists: readonly unknown[],
): readonly Parameter[] {
  return parametersIn(reader, lists).flatMap((given) => readParameter(reader, given) ?? []);
}

/** Returns the parameters as the document has them, each once. */
export function parametersIn(
  reader: SchemaReader,
  lists: readonly unknown[],
): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const entry of lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : []))) {
    const given = reader.resolve(entry);
    if (isObject(given)) found.set(`${String(given["in"])} ${String(given["name"])}`, given);
  }
  return [...found.values()];
}

function readParameter(reader: SchemaReader, given: JsonObject): Parameter | undefined {
  const { in: place, name, schema, required, allowEmptyValue } = given;
  if ((place !== "path" && place !== "query") || typeof name !== "string") return undefined;
  const own = reader.resolve(schema);
  const shape = isObject(own) ? shapeOf(reader, place, given, own) : undefined;
  const validator = shape && schema !== undefined ? reader.compile(schema) : undefined;
  // A parameter whose name is not in the query may still be there in another form.
  const isRequired = required === true && shape !== undefined;
  return {
    place,
    name,
    findProblem(values) {
      if (values.length === 0) return isRequired ? "is missing" : undefined;
      if (!validator || !shape) return undefined;
      if (allowEmptyValue === true && values.every((value) => value === "")) return undefined;
      if (shape.kind === "one" && values.length > 1) return "is there more than once";
      const separator = shape.kind === "list" ? shape.separator : undefined;
      const parts =
        separator === undefined ? values : values.flatMap((value) => value.split(separator));
      return isValid(validator, shape.kind === "list", parts) ? undefined : "has a wrong value";
    },
  };
}

type Shape =
  | { readonly kind: "one" }
  /** Several values; without a separator, one each time that the parameter is there. */
  | { readonly kind: "list"; readonly separator: string | undefined };

const separators: Readonly<Record<string, string>> = {
  form: ",",
  simple: ",",
  spaceDelimited: " ",
  pipeDelimited: "|",
};

/** Undefined for forms that are not read: objects, and styles with prefixes. */
function shapeOf(
  reader: SchemaReader,
  place: "path" | "query",
  { style = place === "path" ? "simple" : "form", explode = style === "form" }: JsonObject,
  schema: JsonObject,
): Shape | undefined {
  const separator = typeof style === "string" ? separators[style] : undefined;
  const types = typesOf(reader, schema);
  if (separator === undefined || types.has("object")) return undefined;
  if (!types.has("array")) return { kind: "one" };
  // It may be one value or a list.
  if (types.size > 1) return undefined;
  return { kind: "list", separator: place === "query" && explode === true ? undefined : separator };
}

function typesOf(reader: SchemaReader, schema: JsonObject): ReadonlySet<unknown> {
  const { type, anyOf, oneOf, allOf, properties, items } = schema;
  const inner = [anyOf, oneOf, allOf].flatMap((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  const found = new Set<unknown>(Array.isArray(type) ? type : [type]);
  if (isObject(properties)) found.add("object");
  if (items !== undefined) found.add("array");
  for (const one of inner) {
    const resolved = reader.resolve(one);
    // One level deep: a parameter with more is rare, and counts as an object.
    const words = isObject(resolved) ? member(resolved, "type") : undefined;
    found.add(words ?? "object");
  }
  found.delete(undefined);
  return found;
}

/** A text may stand for a number or a boolean; the schema says which of them are right. */
function isValid(validator: Validator, isList: boolean, texts: readonly string[]): boolean {
  const forms = [
    (text: string): unknown => text,
    (text: string): unknown => (isNumber(text) ? Number(text) : text),
    (text: string): unknown => (text === "true" || text === "false" ? text === "true" : text),
  ];
  return forms.some((form) => {
    const values = texts.map(form);
    return validator.Check(isList ? values : values[0]);
  });
}

/** Of JSON, so that `0x10`, ` 1` and the empty text are texts. */
function isNumber(text: string): boolean {
  return /^-?(0|[1-9]\d{0,29})(\.\d{1,30})?([eE][+-]?\d{1,3})?$/.test(text);
}
