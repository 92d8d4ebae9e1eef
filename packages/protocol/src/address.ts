/**
 * Addresses: checksummed (EIP-55) inside the program, compared without case at the edges.
 * XDC writes the same 20 bytes also as `xdc` + 40 digits; that form is taken from people and
 * shown to people, and never put on the wire.
 */
import * as OxAddress from "ox/Address";
import type { Hex } from "./hex.ts";

/** A 20-byte address as EIP-55 text. */
export type Address = Hex;

/** The address nobody holds. */
export const zeroAddress: Address = "0x0000000000000000000000000000000000000000";

/**
 * Reads an address of an x402 message: `0x` and 40 hex digits in any case.
 * Wallets and SDKs send every casing, so a wrong checksum is no reason to refuse here.
 */
export function parseWireAddress(value: unknown): Address | undefined {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)
    ? OxAddress.checksum(value)
    : undefined;
}

/**
 * Reads an address that a person typed: `0x…` or `xdc…`. Mixed case must carry a right EIP-55
 * checksum for `0x…` (a typing mistake would send money away); for `xdc…`, which has no agreed
 * checksum, case is ignored.
 */
export function parseAddress(value: unknown): Address | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const xdc = /^xdc([0-9a-f]{40})$/i.exec(text);
  if (xdc) return OxAddress.checksum(`0x${xdc[1]}`);
  const address = parseWireAddress(text);
  const digits = text.slice(2);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return address !== undefined && (oneCase || text === address) ? address : undefined;
}

/** Compares two addresses without case. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The form with the `xdc` prefix, for showing to people only. */
export function toXdcAddress(address: Address): string {
  return `xdc${address.slice(2)}`;
}
