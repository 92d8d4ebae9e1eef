/** The sources of settings: a YAML file, environment variables, and files that variables name. */
import { readFileSync } from "node:fs";
import { buyerVariables, didYouMean } from "@farthing/protocol";
import { parse as parseYaml } from "yaml";
import { settings, type SettingName } from "./settings-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The operator's file, and what the buyer's command line reads. */
const otherVariables: ReadonlySet<string> = new Set([
  "FARTHING_CONFIG",
  ...Object.values(buyerVariables),
]);

/** A seller's key or the file with it; a gateway has one for each of its facilitators. */
const sellersKey = /^FARTHING_API_KEY(_\d+)?(_FILE)?$/;

/** Whether a variable belongs to another part of Farthing, which may be in the same environment. */
function isOfAnotherPart(name: string): boolean {
  return otherVariables.has(name) || sellersKey.test(name);
}

/**
 * Collects the texts of all settings: the file first, then the environment, then `_FILE` variables.
 * `files` receives those that came from the file.
 */
export function readTexts(
  env: Environment,
  problems: string[],
  files: Map<SettingName, string> = new Map(),
): Map<SettingName, string> {
  const texts = readYaml(env["FARTHING_CONFIG"], problems, files);
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isOfAnotherPart(name)) continue;
    const plain = name.replace(/_FILE$/, "");
    const setting = isSettingName(name) ? name : isSettingName(plain) ? plain : undefined;
    if (!setting) {
      if (name.startsWith("FARTHING_"))
        problems.push(`${name} is no setting. ${where(name, namesLike(name))}`);
      continue;
    }
    if (setting !== name && env[setting] !== undefined) {
      problems.push(`Set ${setting} or ${name}, not both.`);
    } else if (value !== "") {
      texts.set(setting, setting === name ? value : readSecretFile(name, value, problems));
      files.delete(setting);
    }
  }
  return texts;
}

/** The settings' names, as those of files where the name is one, so that no path is taken for a value. */
function namesLike(name: string): readonly string[] {
  const names = Object.keys(settings);
  if (!name.endsWith("_FILE")) return names;
  return names.map((one) => (one.endsWith("_FILE") ? one : `${one}_FILE`));
}

/** Where the right name stands, and which one it may be. */
function where(name: string, names: readonly string[]): string {
  const near = didYouMean(name, names);
  return `${near === undefined ? "" : `${near} `}docs/reference/configuration.md lists all settings.`;
}

function readSecretFile(name: string, path: string, problems: string[]): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    problems.push(`${name}: the file ${path} cannot be read; check the path and its rights.`);
    return "";
  }
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

/** Reads the YAML file: the same settings under their short names, lists as YAML lists. */
function readYaml(
  path: string | undefined,
  problems: string[],
  files: Map<SettingName, string>,
): Map<SettingName, string> {
  const texts = new Map<SettingName, string>();
  if (path === undefined || path === "") return texts;
  const names = new Map<string, SettingName>(
    Object.keys(settings)
      .filter(isSettingName)
      .map((name) => [settings[name].key, name]),
  );
  for (const [key, value] of Object.entries(parseFile(path, problems))) {
    const name = names.get(key);
    const text = Array.isArray(value) ? value.map(String).join(",") : value;
    if (!name) {
      problems.push(`${path}: "${key}" is no setting. ${where(key, [...names.keys()])}`);
    } else if (typeof text === "string") {
      texts.set(name, text);
      files.set(name, path);
    } else problems.push(`${path}: "${key}" must be a value or a list of values.`);
  }
  return texts;
}

function parseFile(path: string, problems: string[]): Readonly<Record<string, unknown>> {
  try {
    // Numbers stay text, so that a key or an amount is never rounded.
    const value: unknown = parseYaml(readFileSync(path, "utf8"), { schema: "failsafe" });
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
    problems.push(`FARTHING_CONFIG: ${path} must hold settings as "name: value" lines.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    problems.push(`FARTHING_CONFIG: ${path} cannot be read: ${reason}`);
  }
  return {};
}
