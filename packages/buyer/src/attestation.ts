/**
 * Verifies a facilitator's attestation that money moved, without a request: with the keys that the
 * facilitator publishes at `/.well-known/jwks.json`. It shows no delivery, and opens nothing.
 */
import {
  isObject,
  member,
  parseJson,
  parseSettlementAttestation,
  settlementAttestationType,
  type JsonObject,
  type SettlementAttestation,
} from "@farthing/protocol";
import * as Ed25519 from "ox/Ed25519";
import * as Hex from "ox/Hex";

export type VerifiedAttestation =
  | { readonly ok: true; readonly attestation: SettlementAttestation }
  | { readonly ok: false; readonly reason: string };

/** Several times the longest attestation of a facilitator. */
const maxJwsChars = 8192;

/** More keys than any facilitator publishes. */
const maxKeys = 100;

const keyBytes = 32;
const signatureBytes = 64;

/**
 * Checks the signature by the key of `keySet` (RFC 7517) that the attestation names. Trust in the
 * statement is trust in who published the keys, so take them from a facilitator that you know.
 */
export function verifyAttestation(jws: unknown, keySet: unknown): VerifiedAttestation {
  if (typeof jws !== "string" || jws.length > maxJwsChars) return refused(notAnAttestation);
  const [header = "", payload = "", signature = "", ...more] = jws.split(".");
  const read = readJson(header);
  if (!read || more.length > 0 || member(read, "typ") !== settlementAttestationType) {
    return refused(notAnAttestation);
  }
  // Extensions that must be understood (RFC 7515, 4.1.11) are none that this program understands.
  if (member(read, "alg") !== "EdDSA" || Object.hasOwn(read, "crit")) {
    return refused("it is not signed with EdDSA");
  }
  const publicKey = findKey(keySet, member(read, "kid"));
  if (!publicKey) return refused("no key of the key set has its name");
  const bytes = readBytes(signature, signatureBytes);
  const text = new TextEncoder().encode(`${header}.${payload}`);
  if (!bytes || !isSignedBy(publicKey, text, bytes)) return refused("its signature is wrong");
  const attestation = parseSettlementAttestation(readJson(payload));
  return attestation ? { ok: true, attestation } : refused(notAnAttestation);
}

const notAnAttestation = "it is not an attestation of a settlement";

function refused(reason: string): VerifiedAttestation {
  return { ok: false, reason };
}

function isSignedBy(publicKey: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean {
  try {
    return Ed25519.verify({
      payload: Hex.fromBytes(text),
      publicKey: Hex.fromBytes(publicKey),
      signature: Hex.fromBytes(signature),
    });
  } catch {
    // A point that is not on the curve.
    return false;
  }
}

function findKey(keySet: unknown, kid: unknown): Uint8Array | undefined {
  const keys = isObject(keySet) ? member(keySet, "keys") : undefined;
  if (!Array.isArray(keys) || typeof kid !== "string") return undefined;
  const named = keys
    .slice(0, maxKeys)
    .filter(isObject)
    .find((key) => member(key, "kid") === kid);
  if (!named || member(named, "kty") !== "OKP" || member(named, "crv") !== "Ed25519") {
    return undefined;
  }
  return readBytes(member(named, "x"), keyBytes);
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
