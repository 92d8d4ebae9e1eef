/**
 * Addresses: checksummed (EIP-55) inside the program, compared without case. People may also read
 * and write `xdc` + 40 digits, XDC's own spelling; it never goes on the wire.
 */
import * as OxAddress from "ox/Address";
import type { Hex } from "../encoding/hex.ts";

export type Address = Hex;

export const zeroAddress: Address = "0x0000000000000000000000000000000000000000";

/** Reads an address of a message. Wallets send every casing, so a wrong checksum is accepted. */
export function parseWireAddress(value: unknown): Address | undefined {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)
    ? OxAddress.checksum(value)
    : undefined;
}

/** What is wrong with an address of a message; XDC's own spelling is the likeliest mistake. */
export function wireAddressProblem(name: string, value: unknown): string {
  const isXdc = typeof value === "string" && /^xdc[0-9a-f]{40}$/i.test(value);
  return isXdc
    ? `${name} begins with ${value.slice(0, 3)}; write 0x in its place, the digits are the same`
    : `${name} must be a 0x address of 20 bytes`;
}

/**
 * Reads an address that a person typed, `0x…` or `xdc…`. Mixed case needs a right EIP-55 checksum
 * for `0x…`, since a typing mistake would send money away; `xdc…` has no agreed checksum.
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

/** The address as a word of 32 bytes, without `0x`: the form of calls and topics. */
export function addressWord(address: Address): string {
  return address.slice(2).toLowerCase().padStart(64, "0");
}

export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function toXdcAddress(address: Address): string {
  return `xdc${address.slice(2)}`;
}
