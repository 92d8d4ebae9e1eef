/** JWS in compact form (RFC 7515), verified with a set of public keys (RFC 7517). */
import { isObject, member, parseJson, type JsonObject } from "@farthing/protocol";
import * as Ed25519 from "ox/Ed25519";
import * as Hex from "ox/Hex";
import * as P256 from "ox/P256";
import * as Secp256k1 from "ox/Secp256k1";

export interface Jws {
  readonly header: JsonObject;
  readonly payload: JsonObject | undefined;
  readonly signedText: string;
  readonly signature: string;
}

/** Several times the longest statement of a facilitator or a seller. */
const maxJwsChars = 16_384;

/** More keys than any facilitator or seller publishes. */
const maxKeys = 100;

const scalarBytes = 32;
const signatureBytes = 64;

/** Reads the parts without verifying them; undefined for anything else. */
export function parseJws(text: unknown): Jws | undefined {
  if (typeof text !== "string" || text.length > maxJwsChars) return undefined;
  const [head = "", body = "", signature = "", ...more] = text.split(".");
  const header = readJson(head);
  if (!header || more.length > 0) return undefined;
  return { header, payload: readJson(body), signedText: `${head}.${body}`, signature };
}

/** Explains why no key of the set has signed it; undefined when the key that it names has. */
export function whyNotSigned(
  { header, signedText, signature }: Jws,
  keySet: unknown,
): string | undefined {
  const algorithm = algorithms.find(({ name }) => name === member(header, "alg"));
  // Extensions that must be understood (4.1.11) are none that this program understands.
  if (!algorithm || Object.hasOwn(header, "crit")) return "its algorithm is not known";
  const named = findKey(keySet, member(header, "kid"));
  const key = named && readKey(named, algorithm);
  if (!key) return "no key of the key set has its name";
  const bytes = readBytes(signature, signatureBytes);
  const text = Hex.fromBytes(new TextEncoder().encode(signedText));
  const isSigned = bytes && isVerified(() => algorithm.verify(key, text, bytes));
  return isSigned ? undefined : "its signature is wrong";
}

interface Algorithm {
  readonly name: string;
  readonly kty: string;
  readonly crv: string;
  /** The members of a public key, of 32 bytes each. */
  readonly members: readonly string[];
  readonly verify: (key: readonly Uint8Array[], text: Hex.Hex, signature: Uint8Array) => boolean;
}

const algorithms: readonly Algorithm[] = [
  {
    name: "EdDSA",
    kty: "OKP",
    crv: "Ed25519",
    members: ["x"],
    verify: ([x = new Uint8Array()], payload, signature) =>
      Ed25519.verify({
        payload,
        publicKey: Hex.fromBytes(x),
        signature: Hex.fromBytes(signature),
      }),
  },
  {
    name: "ES256K",
    kty: "EC",
    crv: "secp256k1",
    members: ["x", "y"],
    verify: (key, payload, bytes) => {
      const signature = withLowS(bytes, secp256k1Order);
      return Secp256k1.verify({ hash: true, payload, publicKey: pointOf(key), signature });
    },
  },
  {
    name: "ES256",
    kty: "EC",
    crv: "P-256",
    members: ["x", "y"],
    verify: (key, payload, bytes) => {
      const signature = withLowS(bytes, p256Order);
      return P256.verify({ hash: true, payload, publicKey: pointOf(key), signature });
    },
  },
];

/** The orders of the groups (SEC 2, 2.4.1 and 2.4.2). */
const secp256k1Order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const p256Order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** JOSE accepts both values of s, the library only the lower one. */
function withLowS(signature: Uint8Array, order: bigint) {
  const r = Hex.fromBytes(signature.slice(0, scalarBytes));
  const s = Hex.toBigInt(Hex.fromBytes(signature.slice(scalarBytes)));
  const low = s > order / 2n ? order - s : s;
  return { r, s: Hex.fromNumber(low, { size: scalarBytes }) };
}

/** An uncompressed point (SEC 1, 2.3.3). */
function pointOf(key: readonly Uint8Array[]): Hex.Hex {
  return Hex.concat("0x04", ...key.map((part) => Hex.fromBytes(part)));
}

function isVerified(verify: () => boolean): boolean {
  try {
    return verify();
  } catch {
    // A point that is not on the curve, or a number out of range.
    return false;
  }
}

function findKey(keySet: unknown, kid: unknown): JsonObject | undefined {
  const keys = isObject(keySet) ? member(keySet, "keys") : undefined;
  if (!Array.isArray(keys) || typeof kid !== "string") return undefined;
  return keys
    .slice(0, maxKeys)
    .filter(isObject)
    .find((key) => member(key, "kid") === kid);
}

function readKey(key: JsonObject, { kty, crv, members }: Algorithm) {
  if (member(key, "kty") !== kty || member(key, "crv") !== crv) return undefined;
  const parts = members.map((name) => readBytes(member(key, name), scalarBytes));
  const whole = parts.filter((part) => part !== undefined);
  return whole.length === members.length ? whole : undefined;
}

function readJson(text: string): JsonObject | undefined {
  const bytes = readBytes(text);
  const value = bytes && parseJson(new TextDecoder().decode(bytes))?.value;
  return isObject(value) ? value : undefined;
}

/** Reads base64url without padding (RFC 7515, 2), of a given length where one is given. */
function readBytes(text: unknown, length?: number): Uint8Array | undefined {
  if (typeof text !== "string" || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  if (text.length % 4 === 1) return undefined;
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  const binary = atob(standard.padEnd(Math.ceil(text.length / 4) * 4, "="));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return length === undefined || bytes.length === length ? bytes : undefined;
}
