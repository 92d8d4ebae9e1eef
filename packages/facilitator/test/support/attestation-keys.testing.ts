/** Keys of attestations, and a check of signatures that shares no code with ours. */
import { createPublicKey, generateKeyPairSync, verify, type JsonWebKey } from "node:crypto";
import { isObject, type JsonObject } from "@farthing/protocol";

/** An Ed25519 key in the two forms of the setting. */
export interface AttestationKey {
  readonly signing: string;
  readonly published: string;
}

export function newAttestationKey(): AttestationKey {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  return { signing: privateKey, published: publicKey };
}

/** Values that the setting must refuse: a path, no private key, more text, another curve, too many. */
export const wrongAttestationKeys: readonly string[] = [
  "/etc/attestation.pem",
  newAttestationKey().published,
  `${newAttestationKey().signing}and more`,
  generateKeyPairSync("x25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  newAttestationKey().signing.repeat(9),
];

/** A JWS as it was read; its signature is right by the key that it names. */
export interface ReadJws {
  readonly header: JsonObject;
  readonly payload: JsonObject;
}

/** Throws when no key of the set has signed the JWS. */
export function readJws(jws: string, keySet: JsonObject): ReadJws {
  const [header = "", payload = "", signature = ""] = jws.split(".");
  const read = { header: jsonOf(header), payload: jsonOf(payload) };
  const keys: readonly unknown[] = Array.isArray(keySet["keys"]) ? keySet["keys"] : [];
  const jwk = keys.filter(isJwk).find((key) => key["kid"] === read.header["kid"]);
  if (!jwk) throw new Error("the key set lacks the key");
  const text = Buffer.from(`${header}.${payload}`);
  const key = createPublicKey({ key: jwk, format: "jwk" });
  if (verify(null, text, key, Buffer.from(signature, "base64url"))) return read;
  throw new Error("the signature is wrong");
}

function isJwk(value: unknown): value is JsonWebKey {
  return isObject(value);
}

function jsonOf(part: string): JsonObject {
  const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
  if (isObject(value)) return value;
  throw new Error("no object");
}
