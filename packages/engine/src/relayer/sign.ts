/**
 * The only file that sees a private key. Signatures are deterministic (RFC 6979), so signing the same
 * fields again returns the same bytes.
 */
import { createHmac } from "node:crypto";
import { isBytes32, secp256k1Order, type Address, type Hex } from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as Mnemonic from "ox/Mnemonic";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";
import { misconfigured } from "../base/fault.ts";
import type { Secret } from "../base/secret.ts";
import { attachSignature, envelopeOf, type DigestSigner, type Signer } from "./signer.ts";

/** Private keys, or a mnemonic with a number of wallets (m/44'/60'/0'/0/n). */
export type KeySource =
  | { readonly keys: readonly Secret[] }
  | { readonly mnemonic: Secret; readonly count: number };

/** Throws the fault `configuration`, which quotes no part of the secret. */
export function createSigners(source: KeySource): Signer[] {
  const keys = "keys" in source ? source.keys.map(readKey) : keysOfMnemonic(source);
  const signers = keys.map(signerOf);
  if (new Set(signers.map(({ address }) => address)).size < signers.length) {
    // Two managers of one wallet would take each other's nonces.
    throw misconfigured("FARTHING_RELAYER_KEYS names a key twice; name each once");
  }
  return signers;
}

function keysOfMnemonic({ mnemonic, count }: Extract<KeySource, { readonly count: number }>) {
  const words = mnemonic.expose().trim().split(/\s+/).join(" ");
  // The checksum detects a mistyped word, which would lead to other, empty wallets.
  if (!Mnemonic.validate(words, Mnemonic.english)) {
    throw misconfigured(
      "FARTHING_RELAYER_MNEMONIC is not a BIP-39 mnemonic; give its words separated by spaces",
    );
  }
  return Array.from({ length: count }, (_, index) => {
    const path = `m/44'/60'/0'/0/${index}`;
    return Mnemonic.toPrivateKey(words, { as: "Hex", path });
  });
}

function readKey(key: Secret, index: number): Hex {
  const text = key.expose().trim();
  if (isBytes32(text)) return text;
  throw misconfigured(`FARTHING_RELAYER_KEYS: key ${index + 1} is not 0x and 64 hex digits`);
}

function signerOf(privateKey: Hex): Signer {
  const address = OxAddress.checksum(
    OxAddress.fromPublicKey(Secp256k1.getPublicKey({ privateKey })),
  );
  return {
    address,
    async sign(transaction) {
      const envelope = envelopeOf(transaction);
      const payload = TxEnvelopeLegacy.getSignPayload(envelope);
      return attachSignature(envelope, Secp256k1.sign({ payload, privateKey }));
    },
  };
}

/** Names the use of the secret. With the rest of the function it must never change: channels name the address. */
const channelPurpose = "farthing: authorizer of channels";

/** The key of an account that signs for its channels, derived from a secret. */
export function createChannelSigner(secret: Secret, account: Address): DigestSigner {
  const privateKey = deriveKey(secret, `${channelPurpose}:${account.toLowerCase()}`);
  const { address } = signerOf(privateKey);
  return {
    address,
    sign: async (payload) => Signature.toHex(Secp256k1.sign({ payload, privateKey })),
  };
}

function deriveKey(secret: Secret, name: string): Hex {
  // One result in 2^128 is no key of the curve; the next counter gives one.
  for (let counter = 0; ; counter++) {
    const text = `${name}:${counter}`;
    const key: Hex = `0x${createHmac("sha256", secret.expose()).update(text).digest("hex")}`;
    if (BigInt(key) > 0n && BigInt(key) < secp256k1Order) return key;
  }
}
