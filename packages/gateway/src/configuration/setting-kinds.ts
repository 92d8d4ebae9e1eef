/**
 * The kinds of settings as TypeBox schemas. Messages about a value show its `description` and its
 * `examples`; the first example is valid.
 */
import { Type, type TProperties, type TSchema, type TString } from "typebox";
import { durationPattern, parseDuration, parseSize, sizePattern } from "./duration-size.ts";

interface Notes {
  /** Further keywords of JSON Schema: an expression, a bound. */
  readonly [keyword: string]: unknown;
}

export function text(description: string, example: string, notes: Notes = {}): TString {
  return Type.String({ description, examples: [example], minLength: 1, ...notes });
}

/**
 * A text with a meaning. One without is refused with the reason that `why` returns, or else with
 * the description.
 */
export function parsed<T>(
  type: TString,
  parse: (text: string) => T | undefined,
  why: (text: string) => string = () => "",
) {
  const checked = Type.Refine(type, (one) => parse(one) !== undefined, why);
  return Type.Decode(checked, (one): T => {
    const value = parse(one);
    if (value === undefined) throw new Error("A text was decoded before it was checked.");
    return value;
  });
}

export function oneOf<const C extends string>(description: string, choices: readonly C[]) {
  return Type.Enum([...choices], { type: "string", description });
}

export function whole(description: string, minimum: number, maximum: number) {
  return Type.Integer({ description, minimum, maximum });
}

/** A setting that the file may leave out. */
export function withDefault<T extends TSchema>(type: T, fallback: unknown) {
  return Object.assign(type, { default: fallback });
}

export function yesOrNo(description: string, fallback: boolean) {
  return withDefault(Type.Boolean({ description }), fallback);
}

export function duration(description: string, fallback: string) {
  const shape = `${description}: a whole number with ms, s, m or h`;
  const type = text(shape, fallback, { pattern: durationPattern });
  return withDefault(parsed(type, parseDuration), fallback);
}

export function size(description: string, fallback: string) {
  const shape = `${description}: a whole number with B, KiB, MiB or GiB`;
  return withDefault(parsed(text(shape, fallback, { pattern: sizePattern }), parseSize), fallback);
}

export function list<T extends TSchema>(description: string, items: T, maxItems: number) {
  return Type.Array(items, { description, maxItems });
}

/** A group without other keys. Its type has what a file may leave out and the defaults fill in. */
export function group<P extends TProperties>(
  description: string,
  properties: P,
  notes: Notes = {},
) {
  const required = Object.entries(properties)
    .filter(([, one]) => !Type.IsOptional(one) && !("default" in one))
    .map(([key]) => key);
  return Type.Object(properties, { description, additionalProperties: false, required, ...notes });
}

/** A group that the file may leave out, because all its settings have defaults. */
export function optionalGroup<P extends TProperties>(description: string, properties: P) {
  return withDefault(group(description, properties), {});
}

/** Any number of entries under names that the operator chooses; `nameShape` describes them. */
export function named<T extends TSchema>(
  description: string,
  pattern: string,
  one: T,
  nameShape: string,
) {
  const notes = { description, additionalProperties: false, propertyShape: nameShape };
  return Type.Record(Type.String({ pattern }), one, notes);
}
