/** Only plain keys' signatures: a contract wallet itself has to verify its own. */
import * as Bytes from "ox/Bytes";
import * as Engine from "ox/Engine";
import * as Hash from "ox/Hash";
import * as OxHex from "ox/Hex";
import * as PersonalMessage from "ox/PersonalMessage";
import * as Secp256k1 from "ox/Secp256k1";
import { isSameAddress, type Address } from "../networks/address.ts";
import { authorizationDigestBytes, type Authorization } from "./authorization.ts";
import { hexDigits, numberWord, type Hex } from "../encoding/hex.ts";
import type { Network } from "../networks/networks.ts";

/** The order of the curve secp256k1 (SEC 2, section 2.4.1). A signature's r and s are below it. */
export const secp256k1Order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A signature whose s is above half the order is malleable (EIP-2). */
const halfOrder = secp256k1Order / 2n;

/** EIP-2098 keeps the parity in the topmost bit of `s`. */
const compactParityBit = 1n << 255n;

export interface SignatureParts {
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity: 0 | 1;
}

export function isLowS({ s }: SignatureParts): boolean {
  return BigInt(s) <= halfOrder;
}

/** A contract wallet at `from` may accept signatures for which this is false. */
export function isSignedByPayer(network: Network, authorization: Authorization, signature: Hex) {
  const parts = splitSignature(signature);
  if (!parts) return false;
  return hasSigned(authorization.from, authorizationDigestBytes(network, authorization), parts);
}

/** Whether the key of an address signed a text by `personal_sign` (EIP-191). */
export function hasSignedText(address: Address, text: string, signature: Hex): boolean {
  const parts = splitSignature(signature);
  return parts !== undefined && hasSigned(address, hashOfSignedText(text), parts);
}

/** What `personal_sign` of a text signs (EIP-191). */
export function hashOfSignedText(text: string): Hex {
  return PersonalMessage.getSignPayload(OxHex.fromString(text));
}

/** Whether the key of an address signed a digest of 32 bytes. */
export function hasSigned(
  address: Address,
  digest: Uint8Array | Hex,
  parts: SignatureParts,
): boolean {
  try {
    const publicKey = recoverPublicKey(Bytes.from(digest), parts);
    // Without the byte that says how the point is written.
    const hash = Hash.keccak256(publicKey.subarray(1));
    return isSameAddress(`0x${hexDigits(hash.subarray(12))}`, address);
  } catch {
    // Not a point on the curve: no key signed this.
    return false;
  }
}

/**
 * Returns the 65 bytes of the key, uncompressed. What is compiled is called without the library's
 * conversions between its forms, which cost a tenth of the recovery.
 */
function recoverPublicKey(payload: Uint8Array, signature: SignatureParts): Uint8Array {
  const compiled = Engine.get().Secp256k1?.recoverPublicKey;
  if (!compiled) return Secp256k1.recoverPublicKey({ payload, signature, as: "Bytes" });
  const { r, s, yParity } = signature;
  const bytes = Bytes.fromHex(`0x0${yParity}${r.slice(2)}${s.slice(2)}`);
  return compiled(bytes, payload);
}

/** Plain keys sign r, s and v, or the form of EIP-2098. */
export function hasPlainLength(signature: Hex): boolean {
  return signature.length === 2 + 2 * 65 || signature.length === 2 + 2 * 64;
}

/** Splits 65 bytes (r, s, v) or 64 bytes (EIP-2098); undefined for what no plain key signs. */
export function splitSignature(signature: Hex): SignatureParts | undefined {
  if (!hasPlainLength(signature)) return undefined;
  const r: Hex = `0x${signature.slice(2, 66)}`;
  const last = signature.slice(66);
  if (last.length === 64) {
    const packed = BigInt(`0x${last}`);
    const s = packed % compactParityBit;
    const yParity = packed >= compactParityBit ? 1 : 0;
    return inRange(r, s) ? { r, s: `0x${numberWord(s)}`, yParity } : undefined;
  }
  const s: Hex = `0x${last.slice(0, 64)}`;
  const v = Number.parseInt(last.slice(64), 16);
  const yParity = v >= 27 ? v - 27 : v;
  if (yParity !== 0 && yParity !== 1) return undefined;
  return inRange(r, BigInt(s)) ? { r, s, yParity } : undefined;
}

function inRange(r: Hex, s: bigint): boolean {
  const x = BigInt(r);
  return x > 0n && x < secp256k1Order && s > 0n && s < secp256k1Order;
}
