/**
 * The kinds of settings as TypeBox schemas. Messages about a value show its `description` and its
 * `examples`; the first example is valid.
 */
import { Type, type TOptional, type TProperties, type TSchema, type TString } from "typebox";
import { durationPattern, parseDuration, parseSize, sizePattern } from "./duration-size.ts";

/** USDC with at most six decimals, no sign, no exponent. */
export const usdcPattern = String.raw`^\$?\d{1,12}(\.\d{1,6})?$`;

/** A header's name, RFC 9110. */
export const headerNamePattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$";

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
  parse: (text: string) => T | undefined,
  description: string,
  example: string,
  notes: Notes = {},
  why: (text: string) => string = () => "",
) {
  const type = text(description, example, notes);
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

/** The first choice is the default. */
export function choice<const C extends string>(description: string, choices: readonly C[]) {
  return withDefault(oneOf(description, choices), choices[0]);
}

export function whole(description: string, minimum: number, maximum: number, notes: Notes = {}) {
  return Type.Integer({ description, minimum, maximum, ...notes });
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
  return withDefault(
    parsed(parseDuration, shape, fallback, { pattern: durationPattern }),
    fallback,
  );
}

export function size(description: string, fallback: string) {
  const shape = `${description}: a whole number with B, KiB, MiB or GiB`;
  return withDefault(parsed(parseSize, shape, fallback, { pattern: sizePattern }), fallback);
}

export function optionalList<T extends TSchema>(description: string, items: T, maxItems: number) {
  return withDefault(Type.Array(items, { description, maxItems }), []);
}

/** The members of a group once it is read: those without a default may be absent. */
type Members<R extends TProperties, O extends TProperties> = R & {
  [K in keyof O]: O[K] extends { readonly default: unknown } ? O[K] : TOptional<O[K]>;
};

/** A group without other keys. */
export function group<R extends TProperties, O extends TProperties>(
  description: string,
  required: R,
  optional: O,
  notes: Notes = {},
) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- defaults are filled in
  const members = { ...required, ...optional } as unknown as Members<R, O>;
  const rules = { additionalProperties: false, required: Object.keys(required) };
  return Type.Object(members, { description, ...rules, ...notes });
}

/** A group that the file may leave out. */
export function optionalGroup<O extends TProperties>(description: string, optional: O) {
  return withDefault(group(description, {}, optional), {});
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
