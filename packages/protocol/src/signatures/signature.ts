/** Only plain keys' signatures: a contract wallet itself has to verify its own. */
import * as OxHex from "ox/Hex";
import * as PersonalMessage from "ox/PersonalMessage";
import * as Secp256k1 from "ox/Secp256k1";
import { isSameAddress, type Address } from "../networks/address.ts";
import { authorizationDigest, type Authorization } from "./authorization.ts";
import { numberWord, type Hex } from "../encoding/hex.ts";
import type { Network } from "../networks/networks.ts";

/** EIP-2098 keeps the parity in the topmost bit of `s`. */
const compactParityBit = 1n << 255n;

/** A contract wallet at `from` may accept signatures for which this is false. */
export function isSignedByPayer(network: Network, authorization: Authorization, signature: Hex) {
  return hasSigned(
    authorization.from,
    () => authorizationDigest(network, authorization),
    signature,
  );
}

/** Whether the key of an address signed a text by `personal_sign` (EIP-191). */
export function hasSignedText(address: Address, text: string, signature: Hex): boolean {
  return hasSigned(address, () => hashOfSignedText(text), signature);
}

/** What `personal_sign` of a text signs (EIP-191). */
export function hashOfSignedText(text: string): Hex {
  return PersonalMessage.getSignPayload(OxHex.fromString(text));
}

function hasSigned(address: string, digest: () => Hex, signature: Hex): boolean {
  const parts = splitSignature(signature.slice(2));
  if (!parts) return false;
  try {
    const payload = digest();
    return isSameAddress(Secp256k1.recoverAddress({ payload, signature: parts }), address);
  } catch {
    // Not a point on the curve: no key signed this.
    return false;
  }
}

/** Plain keys sign r, s and v, or the form of EIP-2098. */
export function hasPlainLength(signature: Hex): boolean {
  return signature.length === 2 + 2 * 65 || signature.length === 2 + 2 * 64;
}

function splitSignature(hex: string) {
  const r: Hex = `0x${hex.slice(0, 64)}`;
  if (hex.length === 128) {
    const packed = BigInt(`0x${hex.slice(64)}`);
    const s = packed % compactParityBit;
    return { r, s: `0x${numberWord(s)}` as const, yParity: packed >= compactParityBit ? 1 : 0 };
  }
  if (hex.length !== 130) return undefined;
  const v = Number.parseInt(hex.slice(128), 16);
  const yParity = v >= 27 ? v - 27 : v;
  return yParity === 0 || yParity === 1
    ? { r, s: `0x${hex.slice(64, 128)}` as const, yParity }
    : undefined;
}
