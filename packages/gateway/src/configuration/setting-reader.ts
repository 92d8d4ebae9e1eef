/** Reads settings along their schema, with its defaults, and leaves out invalid values. */
import { isObject, member } from "@farthing/protocol";
import { checkShape, wrong, type Location, type Problem, type Schema } from "./check-shape.ts";

/** A setting, or a group of settings. */
export interface SettingReader {
  readonly location: Location;
  /** Whether the file contains it. */
  readonly isGiven: boolean;
  /** Returns a member of a group, also where the schema allows a word instead. */
  get(key: string): SettingReader;
  /** Returns the entries of a group with names of the operator's choice. */
  entries(): readonly (readonly [string, SettingReader])[];
  items(): readonly SettingReader[];
  text(): string | undefined;
  number(): number | undefined;
  boolean(): boolean | undefined;
  /** Parses the text; a result of undefined is reported as a wrong shape. */
  parse<T>(parse: (text: string) => T | undefined): T | undefined;
  /** Reports a problem that the schema does not cover. */
  report(message: string): void;
}

export function readSettings(schema: Schema, value: unknown, problems: Problem[]): SettingReader {
  return readerAt(schema, value, [], problems);
}

function readerAt(
  schema: Schema,
  given: unknown,
  location: Location,
  problems: Problem[],
): SettingReader {
  const value = given === undefined ? schema.default : given;
  const group = schema.anyOf?.find(({ type }) => type === "object") ?? schema;
  const isFitting = () => value !== undefined && checkShape(schema, value).length === 0;
  const text = () => (typeof value === "string" && isFitting() ? value : undefined);
  const members = isObject(value) ? value : {};
  return {
    location,
    isGiven: given !== undefined,
    get: (key) =>
      readerAt(group.properties?.[key] ?? {}, member(members, key), [...location, key], problems),
    entries: () =>
      Object.entries(group.patternProperties ?? {}).flatMap(([pattern, one]) =>
        Object.entries(members)
          .filter(([name]) => new RegExp(pattern).test(name))
          .map(([name, entry]) => [name, readerAt(one, entry, [...location, name], problems)]),
      ),
    items: () => {
      const list: readonly unknown[] = Array.isArray(value) ? value : [];
      return list.map((item, index) =>
        readerAt(schema.items ?? {}, item, [...location, index], problems),
      );
    },
    text,
    number: () => (typeof value === "number" && isFitting() ? value : undefined),
    boolean: () => (typeof value === "boolean" && isFitting() ? value : undefined),
    parse: (parse) => {
      const found = text();
      if (found === undefined) return undefined;
      const parsed = parse(found);
      if (parsed === undefined) problems.push(wrong(schema, value, location));
      return parsed;
    },
    report: (message) => problems.push({ location, message }),
  };
}
