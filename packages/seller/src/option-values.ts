/** The values of a seller's options, each checked when it is created. */
import { parseAddress, parseUsdc, zeroAddress, type Address } from "@farthing/protocol";

/** USDC as text, `"0.01"` or `"$0.01"`; or base units as a bigint, `10000n`. Never a number. */
export type Price = string | bigint;

export class ConfigurationError extends Error {
  readonly field: string;
  constructor(field: string, shape: string, example: string) {
    super(`${field} must be ${shape}, for example ${example}.`);
    this.name = "ConfigurationError";
    this.field = field;
  }
}

export function oneOf<T extends string>(
  field: string,
  value: T | undefined,
  standard: T,
  ...others: readonly T[]
): T {
  if (value === undefined || value === standard) return standard;
  if (others.includes(value)) return value;
  const last = others.at(-1) ?? standard;
  const choices = [standard, ...others].slice(0, -1).join(", ");
  const shape = others.length > 1 ? `one of ${choices} and ${last}` : `${choices} or ${last}`;
  throw new ConfigurationError(field, shape, `"${standard}"`);
}

export function parsePrice(price: Price | undefined, field = "price"): bigint {
  const amount = typeof price === "string" ? parseUsdc(price) : price;
  if (typeof amount === "bigint" && amount > 0n) return amount;
  const shape = "USDC above 0 as text with at most 6 decimals, or base units as a bigint";
  throw new ConfigurationError(field, shape, '"0.01" or 10000n');
}

export function parsePayTo(text: string | undefined): Address {
  const payTo = typeof text === "string" ? parseAddress(text) : undefined;
  if (payTo && payTo !== zeroAddress) return payTo;
  const shape = "an address of 20 bytes, 0x… (with its checksum if in mixed case) or xdc…";
  throw new ConfigurationError("payTo", shape, '"0x209693Bc6afc0C5328bA36FaF03C514EF312287C"');
}

export function parseInteger(
  field: string,
  value: unknown,
  standard: number,
  min: number,
  max: number,
) {
  const given = value ?? standard;
  const isNumber = typeof given === "number" && Number.isInteger(given);
  if (isNumber && given >= min && given <= max) return given;
  const shape = `a whole number from ${min} to ${max}`;
  throw new ConfigurationError(field, shape, `${Math.max(min, 60)}`);
}

export function isHttpUrl(text: unknown): text is string {
  return typeof text === "string" && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** A scope is part of keys, and is compared with those of what was sold. */
const maxScopeChars = 500;

export function parseScope(field: string, scope: unknown, example: string): string | undefined {
  if (scope === undefined) return undefined;
  if (typeof scope === "string" && scope !== "" && scope.length <= maxScopeChars) return scope;
  throw new ConfigurationError(field, `a name of at most ${maxScopeChars} characters`, example);
}
