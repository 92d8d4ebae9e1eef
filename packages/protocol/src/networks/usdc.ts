/** USDC amounts: decimal text to base units and back, never through floats. */
import { usdcDecimals } from "./networks.ts";

// uint256 has at most 78 digits.
const decimalText = new RegExp(`^(\\d{1,71})(?:\\.(\\d{1,${usdcDecimals}}))?$`);

/** Reads `0.01` or `$0.01` as base units (10000n). Undefined when it is not such an amount. */
export function parseUsdc(text: unknown): bigint | undefined {
  // Callers without types may pass a number.
  if (typeof text !== "string") return undefined;
  const match = decimalText.exec(text.trim().replace(/^\$/, ""));
  if (!match) return undefined;
  const [, whole = "", fraction = ""] = match;
  return BigInt(whole + fraction.padEnd(usdcDecimals, "0"));
}

/** Writes base units with all six decimals: 10000n is `0.010000`. */
export function formatUsdc(units: bigint): string {
  const sign = units < 0n ? "-" : "";
  const digits = (units < 0n ? -units : units).toString().padStart(usdcDecimals + 1, "0");
  return `${sign}${digits.slice(0, -usdcDecimals)}.${digits.slice(-usdcDecimals)}`;
}

/** Writes base units without trailing zeros: 10000n is `0.01`, in Spanish `0,01`, and 1000000n is `1`. */
export function shortUsdc(units: bigint, decimal = "."): string {
  return formatUsdc(units)
    .replace(/\.?0+$/, "")
    .replace(".", decimal);
}

/** Writes base units as people write prices, with two decimals or more: 10000n is `0.01`. */
export function priceUsdc(units: bigint): string {
  return formatUsdc(units).replace(/0{1,4}$/, "");
}

/** For people: `1,234,567.89`. */
export function readableUsdc(units: bigint): string {
  const [whole = "0", ...fraction] = shortUsdc(units).split(".");
  return [BigInt(whole).toLocaleString("en"), ...fraction].join(".");
}
