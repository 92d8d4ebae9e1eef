/**
 * Rule 1, the local part: recovers the signer in WebAssembly, without a node. The token refuses two
 * plain forms, v 0/1 and EIP-2098's 64 bytes; they are rewritten once, and the rewritten bytes are
 * simulated and sent. High s is refused, as by the token. Contract signatures pass unchanged,
 * except for the ERC-6492 wrapping.
 */
import {
  authorizationDigest,
  hasErc6492Form,
  isSameAddress,
  type Authorization,
  type Hex,
  type Network,
} from "@farthing/protocol";
import * as Address from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import * as Engine from "ox/Engine";
import { Hash as WasmHash, Secp256k1 as WasmSecp256k1 } from "ox/wasm";
import { secp256k1Order as order } from "../base/secp256k1.ts";
import { unwrapErc6492 } from "./erc6492.ts";

/** A signature whose s is above half the order is malleable (EIP-2). */
const halfOrder = order / 2n;

export type SignatureReading =
  /** The key of `from` signed; `bytes` is the form that the token accepts. */
  | { readonly kind: "payer"; readonly bytes: Hex }
  /** The key of `from` signed, in the malleable form that the token refuses. */
  | { readonly kind: "high_s" }
  /** Wrapped for a smart wallet (ERC-6492); `inner` is undefined when the wrapping is malformed. */
  | { readonly kind: "wrapped"; readonly inner: Hex | undefined }
  /** Not the key of `from`: only a contract wallet could still accept it. */
  | { readonly kind: "other" };

/** Compiles the WebAssembly engines. Call it once, before the first signature. */
export async function installCrypto(): Promise<void> {
  const [hash, secp256k1] = await Promise.all([WasmHash.engine(), WasmSecp256k1.engine()]);
  await Engine.install({ Hash: hash, Secp256k1: secp256k1 });
}

export function readSignature(
  network: Network,
  authorization: Authorization,
  signature: Hex,
): SignatureReading {
  const hex = signature.slice(2);
  if (hasErc6492Form(signature)) return { kind: "wrapped", inner: unwrapErc6492(signature) };
  const parts = splitSignature(hex);
  if (!parts) return { kind: "other" };
  const payload = authorizationDigest(network, authorization);
  try {
    const signer = Address.fromPublicKey(Secp256k1.recoverPublicKey({ payload, signature: parts }));
    if (!isSameAddress(signer, authorization.from)) return { kind: "other" };
  } catch {
    // Not a point on the curve: no key made this signature.
    return { kind: "other" };
  }
  if (!isLowS(parts)) return { kind: "high_s" };
  const v = (parts.yParity + 27).toString(16);
  return { kind: "payer", bytes: `0x${parts.r.slice(2)}${parts.s.slice(2)}${v}` };
}

export interface SignatureParts {
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity: 0 | 1;
}

export function isLowS({ s }: SignatureParts): boolean {
  return BigInt(s) <= halfOrder;
}

/** Returns the bytes to simulate, store and send, in the form that the token accepts. */
export function tokenBytes(reading: SignatureReading, received: Hex): Hex {
  if (reading.kind === "payer") return reading.bytes;
  return reading.kind === "wrapped" ? (reading.inner ?? received) : received;
}

/** Splits 65 bytes (r, s, v) or 64 bytes (EIP-2098), given without `0x`. */
export function splitSignature(hex: string): SignatureParts | undefined {
  const r: Hex = `0x${hex.slice(0, 64)}`;
  if (hex.length === 128) {
    const packed = BigInt(`0x${hex.slice(64)}`);
    const s = packed & ((1n << 255n) - 1n);
    return inRange(r, s)
      ? { r, s: `0x${s.toString(16).padStart(64, "0")}`, yParity: packed >> 255n === 1n ? 1 : 0 }
      : undefined;
  }
  if (hex.length !== 130) return undefined;
  const s: Hex = `0x${hex.slice(64, 128)}`;
  const v = Number.parseInt(hex.slice(128), 16);
  const yParity = v >= 27 ? v - 27 : v;
  if (yParity !== 0 && yParity !== 1) return undefined;
  return inRange(r, BigInt(s)) ? { r, s, yParity } : undefined;
}

function inRange(r: Hex, s: bigint): boolean {
  const x = BigInt(r);
  return x > 0n && x < order && s > 0n && s < order;
}
