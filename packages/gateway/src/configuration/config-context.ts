import { isObject, member } from "@farthing/protocol";
import type { Location, Problem } from "./read-settings.ts";
import type { Environment } from "./secret-texts.ts";

/** What the assembly of a configuration needs beside the settings. */
export interface ConfigContext {
  readonly environment: Environment;
  /** Base of relative paths. */
  readonly folder: string;
  /** Whether the file itself has a value there. */
  isGiven(location: Location): boolean;
  /** Whether a problem was reported there, within it or around it. */
  isWrong(location: Location): boolean;
  report(location: Location, message: string): void;
}

export function createConfigContext(
  file: unknown,
  problems: Problem[],
  at: Pick<ConfigContext, "environment" | "folder">,
): ConfigContext {
  return {
    ...at,
    isGiven: (location) => location.reduce(memberOf, file) !== undefined,
    isWrong: (location) =>
      problems.some((one) => one.location.every((key, at) => (location[at] ?? key) === key)),
    report: (location, message) => problems.push({ location, message }),
  };
}

function memberOf(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) ? member(value, `${key}`) : undefined;
}
