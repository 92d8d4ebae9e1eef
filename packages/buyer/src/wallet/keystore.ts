/** A private key behind a password: Web3 Secret Storage, version 3. @packageDocumentation */
import {
  isObject,
  member,
  parseAddress,
  parseJson,
  type Address,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as Keystore from "ox/Keystore";
import * as Secp256k1 from "ox/Secp256k1";
import { privateKeySigner } from "../signer.ts";

export {
  signTransaction,
  type SignedTransaction,
  type WalletTransaction,
} from "./sign-transaction.ts";

/** The message holds neither key nor password. */
export class KeystoreError extends Error {
  override readonly name = "KeystoreError";
}

/** geth's: 256 MB and about a second for each guess. */
const scrypt = { n: 262_144, r: 8, p: 1 };

/** Four times geth's work; files may not ask for more. */
const scryptWorkMax = 4 * scrypt.n * scrypt.r * scrypt.p;
const pbkdf2RoundsMax = 10_000_000;

export function newPrivateKey(): Hex {
  return Secp256k1.randomPrivateKey();
}

/** Returns the file's text. Throws a TypeError for anything but a private key. */
export async function encryptKey(privateKey: string, password: string): Promise<string> {
  const { address } = privateKeySigner(privateKey);
  const key: Hex = `0x${privateKey.replace(/^0x/, "")}`;
  const [derived, options] = await Keystore.scryptAsync({ password, ...scrypt });
  const keystore = Keystore.encrypt(key, derived, options);
  // Not in the standard, but every wallet writes it: the address is readable without the password.
  const shown = { address: address.slice(2).toLowerCase(), ...keystore };
  return `${JSON.stringify(shown)}\n`;
}

/** Rejects with a KeystoreError. */
export async function decryptKeystore(text: string, password: string): Promise<Hex> {
  const keystore = readKeystore(text);
  try {
    const derived = await Keystore.toKeyAsync(keystore, { password });
    const key = Keystore.decrypt(keystore, derived);
    // Refuses 32 bytes that are no key.
    Secp256k1.getPublicKey({ privateKey: key });
    return key;
  } catch {
    // The library's error quotes the MAC.
    throw new KeystoreError("The password is wrong, or the keystore is damaged.");
  }
}

/** Undefined when the file names no address. */
export function keystoreAddress(text: string): Address | undefined {
  const address = member(readObject(text), "address");
  if (typeof address !== "string") return undefined;
  const parsed = parseAddress(address.startsWith("0x") ? address : `0x${address}`);
  return parsed && OxAddress.checksum(parsed);
}

function readObject(text: string) {
  const value = parseJson(text)?.value;
  if (isObject(value)) return value;
  throw new KeystoreError("The file is no keystore: it is not a JSON object.");
}

function readKeystore(text: string): Keystore.Keystore {
  const object = readObject(text);
  // Early wallets wrote `Crypto`.
  const keystore = { ...object, crypto: member(object, "crypto") ?? member(object, "Crypto") };
  if (!isVersion3(keystore)) throw new KeystoreError("The file is no keystore of version 3.");
  if (isModest(keystore.crypto)) return keystore;
  throw new KeystoreError("The keystore's key derivation is unknown, or takes far too long.");
}

/** Decrypting checks the rest. */
function isVersion3(keystore: JsonObject): keystore is JsonObject & Keystore.Keystore {
  return member(keystore, "version") === 3 && isObject(member(keystore, "crypto"));
}

function isModest(crypto: JsonObject): boolean {
  const parameters = member(crypto, "kdfparams");
  const numbers = isObject(parameters) ? parameters : {};
  if (member(crypto, "kdf") === "scrypt") {
    return work(numbers["n"], numbers["r"], numbers["p"]) <= scryptWorkMax;
  }
  return member(crypto, "kdf") === "pbkdf2" && work(numbers["c"]) <= pbkdf2RoundsMax;
}

function work(...factors: readonly unknown[]): number {
  return factors.reduce<number>((product, factor) => {
    return product * (typeof factor === "number" && factor > 0 ? factor : Number.NaN);
  }, 1);
}
