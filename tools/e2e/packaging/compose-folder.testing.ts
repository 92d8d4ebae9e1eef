/**
 * Reads a folder that `farthing-operator init` has written as Docker Compose does, and says what a
 * container of a service would be run with. A member of a file that is not read here is an error, so
 * that no test passes over it.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "@farthing/protocol";
import { parse as parseYaml } from "yaml";

/** A service of the files. Paths are those of this machine. */
export interface ComposeService {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Paths in the container and what is mounted there. */
  readonly mounts: ReadonlyMap<string, string>;
  readonly volumes: readonly string[];
  /** All members, as they stand in the files. */
  readonly members: JsonObject;
}

export interface ComposeFolder {
  readonly services: ReadonlyMap<string, ComposeService>;
  /** The named volumes. */
  readonly volumes: readonly string[];
}

const serviceMembers = new Set(
  "image build restart init user stop_grace_period read_only tmpfs cap_drop cap_add security_opt env_file environment volumes extra_hosts ports depends_on profiles secrets healthcheck command".split(
    " ",
  ),
);

/** The settings of the folder's .env. */
export function readEnvironment(folder: string): Record<string, string> {
  const lines = readFileSync(join(folder, ".env"), "utf8").split("\n");
  const set = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(set.map((line) => line.replace(/='(.*)'$/, "=$1").split(/=(.*)/, 2)));
}

export function readComposeFolder(folder: string): ComposeFolder {
  const settings = readEnvironment(folder);
  const files = (settings["COMPOSE_FILE"] ?? "compose.yaml").split(":").map((name) => {
    const text = readFileSync(join(folder, name), "utf8").replaceAll(
      /\$\{(\w+):\?[^}]+\}/g,
      (_, variable: string) => known(settings, variable),
    );
    if (text.includes("${")) throw new Error(`${name} has a variable in another form`);
    return objectOf(parseYaml(text, { strict: true }), ["services", "volumes", "secrets"]);
  });
  const secrets = new Map(
    files.flatMap((file) =>
      Object.entries(objectOf(file["secrets"] ?? {})).map(([name, secret]) => [
        name,
        within(folder, String(objectOf(secret, ["file"])["file"])),
      ]),
    ),
  );
  const all = files.flatMap((file) => Object.entries(objectOf(file["services"])));
  const services = new Map<string, JsonObject>();
  for (const [name, members] of all) {
    services.set(name, merge(services.get(name) ?? {}, objectOf(members, serviceMembers)));
  }
  return {
    services: new Map(
      [...services].map(([name, one]) => [name, serviceOf(folder, settings, secrets, one)]),
    ),
    volumes: files.flatMap((file) => Object.keys(objectOf(file["volumes"] ?? {}))),
  };
}

function serviceOf(
  folder: string,
  settings: Readonly<Record<string, string>>,
  secrets: ReadonlyMap<string, string>,
  members: JsonObject,
): ComposeService {
  const ownSecrets = listOf(members["secrets"]).map((name) => {
    const path = secrets.get(name);
    if (path === undefined) throw new Error(`There is no secret ${name}`);
    return [`/run/secrets/${name}`, path] as const;
  });
  const volumes = listOf(members["volumes"]).map((one) => one.split(":"));
  const bound = volumes
    .filter(([from = ""]) => from.startsWith("."))
    .map(([from = "", to = ""]) => [to, within(folder, from)] as const);
  return {
    image: String(members["image"]),
    command: listOf(members["command"]),
    environment: {
      ...(members["env_file"] === ".env" ? settings : {}),
      ...Object.fromEntries(
        Object.entries(objectOf(members["environment"] ?? {})).map(([key, value]) => [
          key,
          String(value),
        ]),
      ),
    },
    mounts: new Map([...ownSecrets, ...bound]),
    volumes: volumes.map(([from = ""]) => from).filter((from) => !from.startsWith(".")),
    members,
  };
}

/** The text with the paths of a container replaced by those of this machine. */
export function onThisMachine({ mounts }: ComposeService, text: string): string {
  const longestFirst = [...mounts].sort(([one], [other]) => other.length - one.length);
  return longestFirst.reduce((all, [to, from]) => all.replaceAll(to, from), text);
}

function merge(first: JsonObject, second: JsonObject): JsonObject {
  const entries = Object.entries(second).map(([key, value]) => {
    const before = first[key];
    if (Array.isArray(value)) return [key, [...listOf(before), ...value]];
    return [key, isObject(value) && isObject(before) ? { ...before, ...value } : value];
  });
  return { ...first, ...Object.fromEntries(entries) };
}

function known(settings: Readonly<Record<string, string>>, variable: string): string {
  const value = settings[variable];
  if (value === undefined || value === "") throw new Error(`.env has no ${variable}`);
  return value;
}

function within(folder: string, path: string): string {
  const file = join(folder, path);
  if (!existsSync(file)) throw new Error(`${path} is not there`);
  return file;
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function objectOf(value: unknown, members?: Iterable<string>): JsonObject {
  if (!isObject(value)) throw new Error("A mapping is missing");
  const read = members && new Set(members);
  const unknown = read ? Object.keys(value).filter((name) => !read.has(name)) : [];
  if (unknown.length > 0) throw new Error(`Not read: ${unknown.join(", ")}`);
  return value;
}
