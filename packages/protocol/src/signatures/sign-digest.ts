/** Signing with a plain key, for those who hold one: deterministic (RFC 6979), with low s. */
import * as Bytes from "ox/Bytes";
import * as Hash from "ox/Hash";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { hexDigits, isBytes32, toLowerHex, type Hex } from "../encoding/hex.ts";
import { parseAddress, type Address } from "../networks/address.ts";
import { secp256k1Order } from "./signature.ts";

/** Reads a private key; undefined for what is none. The text is a secret and goes nowhere else. */
export function parsePrivateKey(text: unknown): Hex | undefined {
  if (!isBytes32(text)) return undefined;
  const scalar = BigInt(text);
  return scalar > 0n && scalar < secp256k1Order ? toLowerHex(text) : undefined;
}

/** The address of a private key, with its checksum. */
export function addressOfKey(privateKey: Hex): Address {
  const { x, y } = Secp256k1.getPublicKey({ privateKey });
  const point = `${x.slice(2)}${y.slice(2)}`;
  const hash = Hash.keccak256(Bytes.fromHex(`0x${point}`));
  const address = parseAddress(`0x${hexDigits(hash.subarray(12))}`);
  if (!address) throw new Error("A hash has 20 bytes for an address.");
  return address;
}

/** The 65 bytes of a signature of a digest of 32 bytes, with v 27 or 28. */
export function signDigest(privateKey: Hex, digest: Uint8Array): Hex {
  return Signature.toHex(Secp256k1.sign({ payload: digest, privateKey }));
}
