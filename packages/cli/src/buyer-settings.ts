/**
 * Where a buyer's things are on this machine: settings, wallets and the ledger, all in one folder
 * that only its owner can read.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { parseLimits, type Allow, type LimitsInput } from "@farthing/buyer";
import { buyerVariables, isObject, type JsonObject } from "@farthing/protocol";
import { allowOf } from "./allow-lists.ts";
import { ConfigurationError } from "./command-errors.ts";

/** The folder: `farthing` in XDG_CONFIG_HOME, or in `~/.config`. */
export function buyerFolder(environment: NodeJS.ProcessEnv): string {
  const home = environment["XDG_CONFIG_HOME"];
  // The convention says to ignore a relative one; so does an empty one.
  const base = home?.startsWith("/") === true ? home : join(homedir(), ".config");
  return join(base, "farthing");
}

/** The ledger's file: FARTHING_LEDGER, or the one in the folder. */
export function ledgerPath(environment: NodeJS.ProcessEnv): string {
  const path = environment[buyerVariables.ledger];
  return path === undefined || path === "" ? join(buyerFolder(environment), "ledger.jsonl") : path;
}

/** What `farthing ledger limits set` and `farthing wallet use` keep. */
export interface BuyerSettings {
  readonly limits: LimitsInput;
  /** Hosts and payees, the environment's where it names any. */
  readonly allow: Allow;
  /** The name of the wallet in use. */
  readonly wallet?: string;
}

/** A limit, its variable in the environment and its key in the settings. */
const limitNames = {
  perCall: buyerVariables.limitPerCall,
  perDay: buyerVariables.limitPerDay,
  openPayments: buyerVariables.limitOpenPayments,
  openPaymentsPerHost: buyerVariables.limitOpenPerHost,
} as const;

/** Takes the day's limit away. */
export const noLimit = "none";

/** Reads the settings; an absent file is no settings. Throws a ConfigurationError. */
export function readSettings(environment: NodeJS.ProcessEnv): BuyerSettings {
  const object = readSettingsFile(settingsPath(environment));
  const { wallet } = object;
  const limits = isObject(object["limits"]) ? object["limits"] : {};
  return {
    limits: parseLimitTexts(limits, (name) => `limits.${name} in ${settingsPath(environment)}`),
    allow: allowOf(object, environment),
    ...(typeof wallet === "string" ? { wallet } : {}),
  };
}

/** The limits in force: the environment's before the settings', absent where neither says. */
export function limitsInForce(environment: NodeJS.ProcessEnv): LimitsInput {
  const texts = Object.entries(limitNames).map(([name, variable]) => [name, environment[variable]]);
  const set = Object.fromEntries(texts.filter(([, text]) => text !== undefined && text !== ""));
  const own = parseLimitTexts(set, (name) => limitNames[name]);
  return { ...readSettings(environment).limits, ...own };
}

/** Reads limits that a person has written; `nameOf` says where, for the error. */
export function parseLimitTexts(
  texts: Readonly<Record<string, unknown>>,
  nameOf: (name: keyof typeof limitNames) => string,
): LimitsInput {
  const unknown = Object.keys(texts).find((name) => !Object.hasOwn(limitNames, name));
  // A limit that is misspelt would be a limit that is not there.
  if (unknown !== undefined) throw new ConfigurationError(`There is no limit "${unknown}".`);
  let limits: LimitsInput = {};
  for (const name of ["perCall", "perDay", "openPayments", "openPaymentsPerHost"] as const) {
    const text = texts[name];
    if (text === undefined) continue;
    const isCount = name === "openPayments" || name === "openPaymentsPerHost";
    const value = isCount ? Number(text) : text === noLimit ? false : text;
    const next = { ...limits, [name]: value };
    try {
      parseLimits(next);
    } catch {
      throw new ConfigurationError(`${nameOf(name)} ${limitHints[name]}.`);
    }
    limits = next;
  }
  return limits;
}

const limitHints = {
  perCall: "is an amount in USDC, such as 0.10",
  perDay: `is an amount in USDC, such as 2, or ${noLimit}`,
  openPayments: "is a whole number above 0",
  openPaymentsPerHost: "is a whole number above 0",
} as const;

/** Changes settings; what is not named stays. */
export function writeSettings(environment: NodeJS.ProcessEnv, change: JsonObject): void {
  const path = settingsPath(environment);
  const object = { ...readSettingsFile(path), ...change };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Whole or not at all.
  writeFileSync(`${path}.new`, `${JSON.stringify(object, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function settingsPath(environment: NodeJS.ProcessEnv): string {
  return join(buyerFolder(environment), "config.json");
}

function readSettingsFile(path: string): JsonObject {
  const text = readIfThere(path);
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Said below.
  }
  throw new ConfigurationError(`${path} is not a JSON object.`);
}

/** A file's text; undefined when there is none. Throws a ConfigurationError when it is unreadable. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new ConfigurationError(`${path} cannot be read.`, { cause: error });
  }
}
