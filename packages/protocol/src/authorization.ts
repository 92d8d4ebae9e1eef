/**
 * EIP-3009 `TransferWithAuthorization`: what a payer signs, and the EIP-712 digest of it.
 * The digest is built by hand over the network's known domain separator, which is many times
 * faster than a general typed-data encoder and cannot be led astray by a caller's `extra`.
 */
import * as Hash from "ox/Hash";
import { parseWireAddress, type Address } from "./address.ts";
import { isBytes32, toLowerHex, type Hex } from "./hex.ts";
import { isObject, member, type JsonObject } from "./json.ts";
import type { Network } from "./networks.ts";
import { accept, refuse, type Outcome } from "./refusals.ts";

/** A transfer that the holder of `from` allows anyone to submit, once. */
export interface Authorization {
  readonly from: Address;
  readonly to: Address;
  /** USDC base units. */
  readonly value: bigint;
  /** Unix seconds; the token demands that block time is strictly later. */
  readonly validAfter: bigint;
  /** Unix seconds; the token demands that block time is strictly earlier. */
  readonly validBefore: bigint;
  /** 32 bytes, lower case, unique per payer; with payer, asset and chain the payment's identity. */
  readonly nonce: Hex;
}

/** The authorization as messages carry it: amounts and times are decimal strings. */
export interface WireAuthorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
}

const uint256Max = (1n << 256n) - 1n;

/** keccak256 of the type's text, see {@link authorizationTypes}. */
const typeHash = "7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267";

/** The EIP-712 type, in the form wallets take. */
export const authorizationTypes = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

/** The name of that type. */
export const authorizationPrimaryType = "TransferWithAuthorization";

/** Reads an unsigned 256-bit integer written as decimal digits. */
export function parseUint256(value: unknown): bigint | undefined {
  if (typeof value !== "string" || !/^\d{1,78}$/.test(value)) return undefined;
  const number = BigInt(value);
  return number <= uint256Max ? number : undefined;
}

/** Reads an authorization of a message; refuses with `invalid_payload` and the field's name. */
export function parseAuthorization(input: unknown): Outcome<Authorization> {
  if (!isObject(input)) return malformed("payload.authorization must be an object");
  const from = parseWireAddress(member(input, "from"));
  if (!from) return malformed("authorization.from must be a 0x address of 20 bytes");
  const to = parseWireAddress(member(input, "to"));
  if (!to) return malformed("authorization.to must be a 0x address of 20 bytes");
  const numbers = parseNumbers(input);
  if (!numbers.ok) return numbers;
  const nonce = member(input, "nonce");
  if (!isBytes32(nonce)) return malformed("authorization.nonce must be 0x and 32 bytes");
  return accept({ from, to, ...numbers.value, nonce: toLowerHex(nonce) });
}

function parseNumbers(
  input: JsonObject,
): Outcome<Pick<Authorization, "value" | "validAfter" | "validBefore">> {
  const value = parseUint256(member(input, "value"));
  const validAfter = parseUint256(member(input, "validAfter"));
  const validBefore = parseUint256(member(input, "validBefore"));
  if (value === undefined) return malformed(`authorization.value must be ${decimals}`);
  if (validAfter === undefined) return malformed(`authorization.validAfter must be ${decimals}`);
  if (validBefore === undefined) return malformed(`authorization.validBefore must be ${decimals}`);
  return accept({ value, validAfter, validBefore });
}

const decimals = "a string of decimal digits below 2^256";

function malformed(message: string) {
  return refuse("invalid_payload", `${message}.`);
}

/** Writes an authorization for a message. */
export function toWireAuthorization(authorization: Authorization): WireAuthorization {
  return {
    from: authorization.from,
    to: authorization.to,
    value: authorization.value.toString(),
    validAfter: authorization.validAfter.toString(),
    validBefore: authorization.validBefore.toString(),
    nonce: authorization.nonce,
  };
}

/** The EIP-712 digest that the payer signs (EIP-712 section "Definition of encodeData"). */
export function authorizationDigest(network: Network, authorization: Authorization): Hex {
  const structHash = Hash.keccak256(
    `0x${typeHash}${word(authorization.from)}${word(authorization.to)}${number(authorization.value)}${number(authorization.validAfter)}${number(authorization.validBefore)}${authorization.nonce.slice(2)}`,
  );
  return Hash.keccak256(`0x1901${network.domainSeparator.slice(2)}${structHash.slice(2)}`);
}

function word(address: Address): string {
  return address.slice(2).toLowerCase().padStart(64, "0");
}

function number(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}

/**
 * The EIP-712 typed data, in the form that viem accounts take. An EIP-1193 wallet wants JSON:
 * numbers as decimal strings, and `EIP712Domain` among the types.
 */
export function authorizationTypedData(network: Network, authorization: Authorization) {
  return {
    domain: {
      ...network.domain,
      chainId: network.chainId,
      verifyingContract: network.usdc,
    },
    types: authorizationTypes,
    primaryType: authorizationPrimaryType,
    message: authorization,
  } as const;
}
