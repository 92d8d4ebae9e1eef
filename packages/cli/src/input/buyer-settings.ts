/** The buyer's folder on this machine, which only its owner can read: settings, wallets, ledger. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { parseLimits, type Ledger, type LimitsInput } from "@farthing/buyer";
import { fileLedger } from "@farthing/buyer/file-ledger";
import { buyerVariables, isObject, parseJson, type JsonObject } from "@farthing/protocol";
import { limitTable, type LimitName } from "../command/limit-table.ts";
import { parseAllowLists } from "./allow-lists.ts";
import { ConfigurationError } from "../command/command-errors.ts";

/** A variable of the environment; undefined when it is unset or empty. */
export function readVariable(name: string): string | undefined {
  const text = process.env[name];
  return text === "" ? undefined : text;
}

/** `farthing` in XDG_CONFIG_HOME, or in `~/.config`. */
export function buyerFolder(): string {
  const home = process.env["XDG_CONFIG_HOME"];
  // The XDG convention ignores relative paths.
  const base = home?.startsWith("/") === true ? home : join(homedir(), ".config");
  return join(base, "farthing");
}

/** The ledger in FARTHING_LEDGER, or in the folder. */
export function openLedger(): Ledger {
  return fileLedger(readVariable(buyerVariables.ledger) ?? join(buyerFolder(), "ledger.jsonl"));
}

/** Removes a limit or a list. */
export const noLimit = "none";

/**
 * Reads what `farthing ledger limits set` and `farthing wallet use` have stored; without a file it
 * is empty. Throws a ConfigurationError.
 */
export function readSettings() {
  const settings = readSettingsFile();
  const { wallet } = settings;
  const limits = isObject(settings["limits"]) ? settings["limits"] : {};
  return {
    limits: parseLimitTexts(limits, (name) => `limits.${name} in ${settingsPath()}`),
    /** Hosts and payees; those of the environment take precedence. */
    allow: parseAllowLists(settings),
    /** The name of the default wallet. */
    wallet: typeof wallet === "string" ? wallet : undefined,
  };
}

/** The limits that apply: those of the environment before those of the settings. */
export function readLimits(): LimitsInput {
  const texts = Object.entries(limitTable).map(([name, { variable }]) => {
    return [name, readVariable(variable)] as const;
  });
  const own = parseLimitTexts(Object.fromEntries(texts), (name) => limitTable[name].variable);
  return { ...readSettings().limits, ...own };
}

/** Parses limits; the error of an invalid one names it by `nameOf`. */
export function parseLimitTexts(
  texts: Readonly<Record<string, unknown>>,
  nameOf: (name: LimitName) => string,
  InvalidError: new (message: string) => Error = ConfigurationError,
): LimitsInput {
  let limits: LimitsInput = {};
  for (const [name, text] of Object.entries(texts)) {
    // A misspelt limit would otherwise not apply.
    if (!isLimitName(name)) throw new ConfigurationError(`Unknown limit "${name}".`);
    if (text === undefined) continue;
    const isCount = name === "openPayments" || name === "openPaymentsPerHost";
    const value = isCount ? Number(text) : text === noLimit ? false : text;
    const next = { ...limits, [name]: value };
    try {
      parseLimits(next);
    } catch {
      throw new InvalidError(`${nameOf(name)} must be ${limitTable[name].hint}.`);
    }
    limits = next;
  }
  return limits;
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(limitTable, name);
}

/** Changes the named settings and keeps the others. */
export function writeSettings(change: JsonObject): void {
  writePrivateJson(settingsPath(), { ...readSettingsFile(), ...change });
}

/** Writes a file that only its owner can read, as a whole or not at all. */
export function writePrivateJson(path: string, value: JsonObject): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function settingsPath(): string {
  return join(buyerFolder(), "config.json");
}

/** All that is stored, unread; empty without a file. */
export function readSettingsFile(): JsonObject {
  const path = settingsPath();
  const text = readIfThere(path);
  if (text === undefined) return {};
  const value = parseJson(text)?.value;
  if (isObject(value)) return value;
  throw new ConfigurationError(`${path} is not a JSON object. Fix the file or remove it.`);
}

/** The text of a file that a flag or a variable names. */
export function readNamedFile(
  path: string,
  name: string,
  InvalidError: new (message: string, options: ErrorOptions) => Error = ConfigurationError,
): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new InvalidError(`Cannot read ${path}, the file of ${name}.`, { cause });
  }
}

/** A file's text, undefined when there is none. Throws a ConfigurationError when it is unreadable. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new ConfigurationError(`Cannot read ${path}. Check its permissions.`, { cause: error });
  }
}
