import { isObject, member } from "@farthing/protocol";
import type { Location, Problem } from "./read-settings.ts";
import type { Environment } from "./secret-texts.ts";

export type ConfigContext = ReturnType<typeof createConfigContext>;

/** Returns what the assembly of a configuration needs beside the settings. */
export function createConfigContext(
  file: unknown,
  problems: Problem[],
  /** `folder` is the base of relative paths. */
  at: { readonly environment: Environment; readonly folder: string },
) {
  const valueAt = (location: Location) => location.reduce(memberOf, file);
  return {
    ...at,
    /** The value that the file itself has there; undefined where it has none. */
    valueAt,
    isGiven: (location: Location) => valueAt(location) !== undefined,
    /** Whether a problem was reported there, within it or around it. */
    isWrong: (location: Location) =>
      problems.some((one) => one.location.every((key, at) => (location[at] ?? key) === key)),
    report: (location: Location, message: string) => problems.push({ location, message }),
  };
}

function memberOf(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) ? member(value, `${key}`) : undefined;
}
