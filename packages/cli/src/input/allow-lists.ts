/** Lists of the hosts and payees that may be paid, from the environment, the settings or a flag. */
import type { Allow } from "@farthing/buyer";
import { buyerVariables, parseAddress, type JsonObject } from "@farthing/protocol";
import { ConfigurationError } from "../command/command-errors.ts";
import { parseHttpUrl } from "./http-url.ts";

/** Each list by its key in the settings. */
export const allowLists = [
  {
    name: "hosts",
    variable: buyerVariables.allowHosts,
    flag: "--hosts",
    parse: parseHost,
    hint: "host names such as api.example.com, with or without a port",
  },
  {
    name: "payees",
    variable: buyerVariables.allowPayees,
    flag: "--payees",
    parse: parseAddress,
    hint: "addresses: 0x or xdc and 40 hexadecimal digits",
  },
] as const;

type AllowList = (typeof allowLists)[number];

/** The lists that apply: those of the environment before those of the settings. */
export function parseAllowLists(settings: JsonObject): Allow {
  const found = allowLists.map((list) => {
    const text = process.env[list.variable];
    if (text !== undefined && text !== "") return [list.name, splitList(list, text, list.variable)];
    const value = settings[list.name];
    return [list.name, value === undefined ? undefined : parseStored(list, value)];
  });
  return Object.fromEntries(found.filter(([, entries]) => entries !== undefined));
}

function parseStored(list: AllowList, value: unknown): string[] {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  const texts = entries.filter((entry) => typeof entry === "string");
  const isComplete = texts.length > 0 && texts.length === entries.length;
  return parseEntries(list, isComplete ? texts : [""], `${list.name} in the settings`);
}

/** Parses a list that is separated by commas; an error begins with `where`. */
export function splitList(
  list: AllowList,
  text: string,
  where: string,
  InvalidError?: new (message: string) => Error,
): string[] {
  const entries = text.split(",").map((entry) => entry.trim());
  return parseEntries(list, entries, where, InvalidError);
}

function parseEntries(
  { parse, hint }: AllowList,
  entries: readonly string[],
  where: string,
  InvalidError: new (message: string) => Error = ConfigurationError,
): string[] {
  return entries.map((entry) => {
    const parsed = parse(entry);
    if (parsed === undefined) throw new InvalidError(`${where} must be a list of ${hint}.`);
    return parsed;
  });
}

function parseHost(text: string): string | undefined {
  // The parser leaves the port of https out.
  const host = parseHttpUrl(`https://${text}/`)?.host;
  return host === text || `${host}:443` === text ? text : undefined;
}
