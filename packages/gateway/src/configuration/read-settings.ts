/** Reads settings along their schema, and reports for each problem what to write instead. */
import { didYouMean, isObject, type JsonObject } from "@farthing/protocol";
import type { StaticDecode, TSchema } from "typebox";
import { Check, Decode, Errors } from "typebox/value";

/** Keys and indexes from the top of a value. */
export type Location = readonly (string | number)[];

export interface Problem {
  readonly location: Location;
  /** What is wrong and what to write, without the location. */
  readonly message: string;
}

type Report = (problem: Problem) => void;

/** The keywords of JSON Schema that the messages and the reference page show. */
export interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[] | undefined;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  /** Describes the names of `patternProperties` in messages. */
  readonly propertyShape?: string;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly isSecret?: boolean;
}

/**
 * Returns the settings with their defaults, each text parsed. A default or an example stands in for
 * what is missing or wrong, so that the rest is read and checked too.
 */
export function readSettings<T extends TSchema>(schema: T, value: unknown, problems: Problem[]) {
  const read = readValue(schema, value ?? null, [], (problem) => problems.push(problem));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Decode has checked every value
  return read as StaticDecode<T>;
}

/** Returns undefined for an absent or wrong value; a wrong group is read as an empty one. */
function readValue(schema: Schema, given: unknown, location: Location, report: Report): unknown {
  const value = given === undefined ? schema.default : given;
  // The alternatives differ in kind: a word, a group, or a list.
  const group = schema.anyOf?.find(({ type }) => type === "object") ?? schema;
  if (group.type === "object" && isObject(value)) return readGroup(group, value, location, report);
  const list = schema.anyOf?.find(({ type }) => type === "array") ?? schema;
  const { items, minItems = 0, maxItems = Infinity } = list;
  if (items && Array.isArray(value) && value.length >= minItems && value.length <= maxItems) {
    return value.map(
      (item, index) => readValue(items, item, [...location, index], report) ?? standIn(items),
    );
  }
  if (value === undefined) return undefined;
  if (Check(schema, value)) return Decode(schema, value);
  report({ location, message: whatIsWrong(Array.isArray(value) ? list : schema, value) });
  return schema.type === "object" ? standIn(schema) : undefined;
}

function readGroup(schema: Schema, group: JsonObject, location: Location, report: Report) {
  const { properties = {}, required = [], patternProperties = {} } = schema;
  const known = Object.entries(properties).map(([key, one]) => {
    const at = [...location, key];
    const isRequired = required.includes(key);
    const value = Object.hasOwn(group, key) ? group[key] : undefined;
    if (isRequired && value === undefined) {
      report({ location: at, message: `is missing; ${shapeOf(one)}` });
    }
    const isNeeded = isRequired || one.default !== undefined;
    const read = readValue(one, value, at, report);
    return [key, read ?? (isNeeded ? standIn(one) : undefined)] as const;
  });
  const others = Object.entries(group)
    .filter(([key]) => !Object.hasOwn(properties, key))
    .map(([key, value]) => {
      const at = [...location, key];
      const patterns = Object.entries(patternProperties);
      const one = patterns.find(([pattern]) => new RegExp(pattern).test(key))?.[1];
      if (!one) report({ location: at, message: unknownKey(schema, key) });
      return [key, one && readValue(one, value, at, report)] as const;
    });
  return Object.fromEntries([...known, ...others].filter(([, value]) => value !== undefined));
}

function standIn(schema: Schema): unknown {
  if (schema.type === "object") return readGroup(schema, {}, [], () => undefined);
  const { default: fallback, const: only, examples, enum: list } = schema;
  return Decode(schema, fallback ?? only ?? examples?.[0] ?? list?.[0] ?? []);
}

function unknownKey({ properties, propertyShape }: Schema, key: string): string {
  if (propertyShape !== undefined) return `is no key; write ${propertyShape}`;
  const near = didYouMean(key, Object.keys(properties ?? {}));
  const all = "docs/reference/gateway.md lists all settings";
  return `is no setting. ${near === undefined ? "" : `${near} `}${all}`;
}

/** A secret is never repeated. */
function whatIsWrong(schema: Schema, value: unknown): string {
  if (schema.items && Array.isArray(value)) {
    return value.length === 0
      ? `is an empty list; ${shapeOf(schema)}`
      : `has ${value.length} entries, more than ${schema.maxItems}`;
  }
  const [reason] = Errors(schema, value).flatMap((error) =>
    error.keyword === "~refine" && error.message !== "" ? [error.message] : [],
  );
  const given = schema.isSecret === true ? "" : `is ${show(value)}, but `;
  return reason ?? `${given}${shapeOf(schema)}`;
}

function shapeOf(schema: Schema): string {
  const mapping = mappingOf(schema);
  if (mapping && schema.examples === undefined) return mappingShape(schema, mapping);
  const { description, examples = [], minimum, maximum, enum: list } = schema;
  const range = minimum === undefined ? "" : `, from ${minimum} to ${maximum}`;
  const choices = list ? `one of ${list.join(", ")}: ` : "";
  const example = examples.length === 0 ? "" : `. Example: ${JSON.stringify(examples[0])}`;
  return `must be: ${choices}${description}${range}${example}`;
}

/** The mapping that a setting is, or may be beside a word or a list. */
function mappingOf({ type, anyOf = [], ...schema }: Schema): Schema | undefined {
  return type === "object" ? schema : anyOf.find((one) => one.type === "object");
}

function mappingShape({ description }: Schema, mapping: Schema): string {
  const { properties = {}, propertyShape } = mapping;
  const members = propertyShape ?? Object.keys(properties).join(", ");
  const key = propertyShape === undefined ? "members" : "each key is";
  const example = `{ ${membersExample(mapping).join(", ")} }`;
  return `must be: ${description}; a mapping, ${key} ${members}. Example: ${example}`;
}

/** The required members, or the first one where none is. */
function membersExample({ properties = {}, required = [], patternProperties }: Schema): string[] {
  const [first] = Object.keys(properties);
  const names = required.length > 0 || first === undefined ? required : [first];
  const chosen = names.map((name) => [name, properties[name]] as const);
  const free = Object.values(patternProperties ?? {}).map((one) => ["name", one] as const);
  return [...chosen, ...free].map(([name, one]) => `${name}: ${exampleOf(one)}`);
}

function exampleOf(schema: Schema | undefined): string {
  const { default: fallback, const: only, examples, enum: list, minimum, items } = schema ?? {};
  const mapping = schema && mappingOf(schema);
  if (examples === undefined && mapping) return `{ ${membersExample(mapping).join(", ")} }`;
  if (examples === undefined && items) return `[${exampleOf(items)}]`;
  return JSON.stringify(examples?.[0] ?? fallback ?? only ?? list?.[0] ?? minimum);
}

/** Longest part of a wrong value that is repeated. */
const maxShownChars = 80;

function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "a group of settings";
  // YAML may have lost digits of a number, so it is not repeated.
  if (typeof value === "number" && !Number.isSafeInteger(value)) return "a number";
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.slice(0, maxShownChars));
}

/** Formats a location for people: `routes[3].price`. */
export function formatLocation(location: Location): string {
  const parts = location.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`));
  return parts.join("").replace(/^\./, "");
}
