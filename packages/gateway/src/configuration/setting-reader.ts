/**
 * Walks the settings of a file along their schema: takes defaults from it, and leaves out whatever
 * has another shape than it says, which has been reported already.
 */
import { isObject, member } from "@farthing/protocol";
import { checkShape, wrong, type Location, type Problem, type Schema } from "./check-shape.ts";

/** One setting, or a group of them. */
export interface SettingReader {
  readonly location: Location;
  /** Whether the file has it. */
  readonly isGiven: boolean;
  /** A member of a group; of a choice between a word and a group, the group's. */
  get(key: string): SettingReader;
  /** The entries of a group whose names the operator chose. */
  entries(): readonly (readonly [string, SettingReader])[];
  /** The entries of a list. */
  items(): readonly SettingReader[];
  text(): string | undefined;
  number(): number | undefined;
  boolean(): boolean | undefined;
  /** The text as `parse` reads it; undefined from it is reported as a value of another shape. */
  parse<T>(parse: (text: string) => T | undefined): T | undefined;
  /** Reports something that the schema does not say. */
  report(message: string): void;
}

/** Starts at the top of a file. */
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
