/** A schema with what it refers to in the place of the references, for readers without the document. */
import { isObject, member, type JsonObject } from "@farthing/protocol";
import { fromOldWords, isMarked, mapSchemas, requireSent, type Dialect } from "./json-schema.ts";
import { SchemaProblem } from "./schema-problem.ts";

export interface InlineOptions extends Dialect {
  /** Whether titles and descriptions are kept. */
  readonly hasTexts: boolean;
  /** Returns what a reference names. Throws a SchemaProblem. */
  readonly find: (reference: string) => unknown;
}

/** More do not fit into a challenge, and references can double a schema with every level. */
const maxParts = 1_000;

/** A challenge is read up to 32 levels. */
const maxLevels = 40;

const texts = ["title", "description"];

/** The words that tell a caller something; the rest is of the document, such as `xml` and `x-…`. */
const kept = new Set(
  (
    "type enum const default format pattern minLength maxLength minimum maximum " +
    "exclusiveMinimum exclusiveMaximum multipleOf nullable items prefixItems contains " +
    "minContains maxContains minItems maxItems uniqueItems properties patternProperties " +
    "additionalProperties propertyNames required minProperties maxProperties " +
    "dependentRequired dependentSchemas allOf anyOf oneOf not if then else " +
    "unevaluatedItems unevaluatedProperties contentEncoding contentMediaType"
  ).split(" "),
);

/** Throws a SchemaProblem. Where a schema contains itself, the inner one has its type alone. */
export function inlineSchema(schema: unknown, options: InlineOptions): unknown {
  let parts = 0;
  const { find, hasTexts, isOld, unsent } = options;

  function inline(value: unknown, inside: readonly string[], level: number): unknown {
    if (++parts > maxParts || level > maxLevels)
      throw new SchemaProblem("it is too large for a challenge");
    if (typeof value === "boolean") return value;
    if (!isObject(value)) throw new SchemaProblem("a schema is neither an object nor a boolean");
    const { $ref: reference, ...beside } = value;
    if (typeof reference !== "string") return inlineWords(value, inside, level);
    const found = find(reference);
    if (inside.includes(reference)) return typeOf(found);
    const target = inline(found, [...inside, reference], level + 1);
    // OpenAPI 3.0 ignores what stands beside a reference.
    const own = isOld ? {} : inlineWords(beside, inside, level);
    const words = Object.keys(own);
    if (words.length === 0) return target;
    const isText = words.every((word) => texts.includes(word));
    return isText && isObject(target) ? { ...target, ...own } : { allOf: [target], ...own };
  }

  function inlineWords(given: JsonObject, inside: readonly string[], level: number): JsonObject {
    const words = Object.entries(requireSent(given, unsent)).filter(([word, value]) =>
      texts.includes(word) ? hasTexts && !hasMarkup(value) : kept.has(word),
    );
    const sent = words.map(([word, value]) => [
      word,
      word === "properties" && isObject(value) ? withoutUnsent(value) : value,
    ]);
    const own = mapSchemas(Object.fromEntries(sent), (one) => inline(one, inside, level + 1));
    return isOld ? fromOldWords(own) : own;
  }

  function withoutUnsent(properties: JsonObject): JsonObject {
    const sent = Object.entries(properties).filter(([, one]) => !isMarked(one, unsent));
    return Object.fromEntries(sent);
  }

  return inline(schema, [], 0);
}

function typeOf(schema: unknown): JsonObject {
  const type = isObject(schema) ? member(schema, "type") : undefined;
  return type === undefined ? {} : { type };
}

/** Catalogues leave out what looks like HTML. */
export function hasMarkup(value: unknown): boolean {
  return /<[a-z!/?]/i.test(JSON.stringify(value) ?? "");
}
