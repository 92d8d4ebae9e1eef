/**
 * Whether a plain key signed an authorization, told without a node. Whoever forwards payments can
 * sort out junk with it; signatures of contract wallets are for the wallet alone to judge.
 */
import * as Secp256k1 from "ox/Secp256k1";
import { isSameAddress } from "./address.ts";
import { authorizationDigest, type Authorization } from "./authorization.ts";
import type { Hex } from "./hex.ts";
import type { Network } from "./networks.ts";

/** Half of the topmost bit of a word: where EIP-2098 keeps the parity beside `s`. */
const compactParityBit = 1n << 255n;

/**
 * True when the key of `authorization.from` signed. False for every other signature, which a
 * contract wallet at `from` may still accept, also one of the same length.
 */
export function isSignedByPayer(
  network: Network,
  authorization: Authorization,
  signature: Hex,
): boolean {
  const parts = splitSignature(signature.slice(2));
  if (!parts) return false;
  try {
    const payload = authorizationDigest(network, authorization);
    const signer = Secp256k1.recoverAddress({ payload, signature: parts });
    return isSameAddress(signer, authorization.from);
  } catch {
    // Not a point on the curve: no key signed this.
    return false;
  }
}

/** Whether a signature has a length that plain keys sign: r, s and v, or the form of EIP-2098. */
export function hasPlainLength(signature: Hex): boolean {
  return signature.length === 2 + 2 * 65 || signature.length === 2 + 2 * 64;
}

function splitSignature(hex: string) {
  const r: Hex = `0x${hex.slice(0, 64)}`;
  if (hex.length === 128) {
    const packed = BigInt(`0x${hex.slice(64)}`);
    const s = packed % compactParityBit;
    return { r, s: toWord(s), yParity: packed >= compactParityBit ? 1 : 0 };
  }
  if (hex.length !== 130) return undefined;
  const v = Number.parseInt(hex.slice(128), 16);
  const yParity = v >= 27 ? v - 27 : v;
  return yParity === 0 || yParity === 1
    ? { r, s: `0x${hex.slice(64, 128)}` as const, yParity }
    : undefined;
}

function toWord(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}
