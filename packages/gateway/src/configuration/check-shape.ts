/**
 * Checks a value against a JSON Schema and reports for each problem what to write instead. It
 * supports the keywords of the configuration's schema; a test compares it with a complete
 * validator.
 */
import { isObject, type JsonObject } from "@farthing/protocol";

/** Keys and indexes from the top of a value. */
export type Location = readonly (string | number)[];

export interface Problem {
  readonly location: Location;
  /** What is wrong and what to write, without the location. */
  readonly message: string;
}

/** The supported part of JSON Schema. */
export interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  /** Describes the names of `patternProperties` in messages. */
  readonly propertyShape?: string;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly isSecret?: boolean;
}

/** Returns everything in `value` that the schema does not allow. */
export function checkShape(schema: Schema, value: unknown, location: Location = []): Problem[] {
  if (schema.anyOf) {
    // The alternatives differ in kind: a word, or an object.
    const meant = schema.anyOf.find((one) => one.type === kindOf(value) && one.type === "object");
    if (meant) return checkShape(meant, value, location);
    const fits = schema.anyOf.some((one) => checkShape(one, value, location).length === 0);
    return fits ? [] : [wrong(schema, value, location)];
  }
  if (!isOfType(schema.type, value)) return [wrong(schema, value, location)];
  if (isObject(value)) return checkMembers(schema, value, location);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (items.length > (schema.maxItems ?? Infinity)) {
      return [{ location, message: `has ${items.length} entries, more than ${schema.maxItems}` }];
    }
    return items.flatMap((item, index) =>
      checkShape(schema.items ?? {}, item, [...location, index]),
    );
  }
  return isAllowed(schema, value) ? [] : [wrong(schema, value, location)];
}

function checkMembers(schema: Schema, value: JsonObject, location: Location): Problem[] {
  const { properties = {}, required = [] } = schema;
  const patterns = Object.entries(schema.patternProperties ?? {});
  const missing = required
    .filter((key) => !Object.hasOwn(value, key))
    .map((key) => ({
      location: [...location, key],
      message: `is missing; ${shapeOf(properties[key])}`,
    }));
  const present = Object.entries(value).flatMap(([key, member]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const one = known ?? patterns.find(([pattern]) => new RegExp(pattern).test(key))?.[1];
    const at = [...location, key];
    return one ? checkShape(one, member, at) : [{ location: at, message: unknownKey(schema) }];
  });
  return [...missing, ...present];
}

function unknownKey({ properties, propertyShape }: Schema): string {
  if (propertyShape !== undefined) return `is no key; write ${propertyShape}`;
  return `is no setting; there are: ${Object.keys(properties ?? {}).join(", ")}`;
}

function isAllowed(schema: Schema, value: unknown): boolean {
  if (schema.const !== undefined && value !== schema.const) return false;
  if (schema.enum && !schema.enum.includes(value)) return false;
  if (typeof value === "string") {
    const { minLength = 0, maxLength = Infinity, pattern } = schema;
    const isFitting = pattern === undefined || new RegExp(pattern).test(value);
    return value.length >= minLength && value.length <= maxLength && isFitting;
  }
  if (typeof value === "number") {
    return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  }
  return true;
}

/** Returns the problem of a value with a wrong shape. A secret is never repeated. */
export function wrong(schema: Schema, value: unknown, location: Location): Problem {
  const said = schema.isSecret === true ? "" : `is ${show(value)}, but `;
  return { location, message: `${said}${shapeOf(schema)}` };
}

function shapeOf(schema: Schema | undefined): string {
  const { description = "something else", examples = [], minimum, maximum } = schema ?? {};
  const range = minimum === undefined ? "" : `, from ${minimum} to ${maximum}`;
  const choices = schema?.enum ? `one of ${schema.enum.join(", ")}: ` : "";
  const example = examples.length === 0 ? "" : `. Example: ${JSON.stringify(examples[0])}`;
  return `must be: ${choices}${description}${range}${example}`;
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

function isOfType(type: string | undefined, value: unknown): boolean {
  if (type === undefined) return true;
  return type === "integer" ? Number.isSafeInteger(value) : type === kindOf(value);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}

/** Formats a location for people: `routes[3].price`. */
export function formatLocation(location: Location): string {
  const parts = location.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`));
  return parts.join("").replace(/^\./, "");
}
