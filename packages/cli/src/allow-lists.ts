/** Whom a buyer lets himself be charged by: lists of hosts and payees, of the machine or a run. */
import type { Allow } from "@farthing/buyer";
import { buyerVariables, parseAddress, type JsonObject } from "@farthing/protocol";
import { ConfigurationError } from "./command-errors.ts";
import { parseHttpUrl } from "./http-url.ts";

/** The lists: their key in the settings, their variable, their flag, and what is in them. */
export const allowLists = [
  {
    name: "hosts",
    variable: buyerVariables.allowHosts,
    flag: "--hosts",
    isEntry: isHost,
    hint: "host names such as api.example.com, with a port or without",
  },
  {
    name: "payees",
    variable: buyerVariables.allowPayees,
    flag: "--payees",
    isEntry: (text: string) => parseAddress(text) !== undefined,
    hint: "addresses, 0x or xdc and 40 digits",
  },
] as const;

type AllowList = (typeof allowLists)[number];

/** The lists in force: the environment's before the settings', absent where neither says. */
export function allowOf(settings: JsonObject, environment: NodeJS.ProcessEnv): Allow {
  const found = allowLists.map((list) => {
    const text = environment[list.variable];
    const isSet = text !== undefined && text !== "";
    const entries = isSet ? splitList(list, text, list.variable) : kept(list, settings);
    return [list.name, entries] as const;
  });
  return Object.fromEntries(found.filter(([, entries]) => entries !== undefined));
}

function kept({ name, isEntry, hint }: AllowList, settings: JsonObject): string[] | undefined {
  const value = settings[name];
  if (value === undefined) return undefined;
  const entries: unknown[] = Array.isArray(value) ? value : [];
  const texts = entries.filter((entry) => typeof entry === "string");
  if (texts.length > 0 && texts.length === entries.length && texts.every(isEntry)) {
    return texts.map((text) => toWire(name, text));
  }
  throw new ConfigurationError(`${name} in the settings is a list of ${hint}.`);
}

/** Splits a list at its commas; throws a ConfigurationError that begins with `where`. */
export function splitList(
  { name, isEntry, hint }: AllowList,
  text: string,
  where: string,
): string[] {
  const entries = text.split(",").map((entry) => entry.trim());
  if (!entries.every(isEntry)) throw new ConfigurationError(`${where} is a list of ${hint}.`);
  return entries.map((entry) => toWire(name, entry));
}

/** As they are compared: addresses in their 0x form. */
function toWire(name: AllowList["name"], text: string): string {
  return name === "payees" ? (parseAddress(text) ?? text) : text;
}

function isHost(text: string): boolean {
  // The parser leaves the port of https out.
  const host = parseHttpUrl(`https://${text}/`)?.host;
  return host !== undefined && (host === text || `${host}:443` === text);
}
