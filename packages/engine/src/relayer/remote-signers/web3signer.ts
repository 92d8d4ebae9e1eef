/**
 * Keys in Web3Signer, which never leave it. It hashes what it signs, so it receives the unsigned
 * transaction, and it knows a key by its public key.
 */
import { isHexBytes, type Address, type Hex } from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as PublicKey from "ox/PublicKey";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";
import { misconfigured } from "../../base/fault.ts";
import { readText } from "../../base/read-text.ts";
import type { Secret } from "../../base/secret.ts";
import { attachSignature, envelopeOf, type Signer } from "../signer.ts";
import { askSigner, atStart, SignerRefusal } from "./ask-signer.ts";
import { checkedSignature } from "./checked-signature.ts";

const service = "Web3Signer";

/** A thousand public keys and more; a Web3Signer for relayer wallets has a few. */
const keysBytesMax = 256 * 1024;

/** A signature in hexadecimal, and some white space. */
const signatureBytesMax = 256;

/** r, s and v. */
const signatureLength = 65;

/** x and y, and the prefix of an uncompressed point. */
const publicKeyLength = 65;

export interface Web3SignerOptions {
  /** Its base URL; may hold the user and password of a proxy in front of it. */
  readonly url: Secret;
  /** The wallets to use: others of its keys may belong to other software. */
  readonly wallets: readonly Address[];
  /** The value of the header `Authorization`, for a proxy in front of it. */
  readonly authorization?: Secret | undefined;
}

/** In the order of `wallets`. Throws the fault `configuration`, also for a wallet that it does not have. */
export async function createWeb3Signers(options: Web3SignerOptions): Promise<Signer[]> {
  const ask = createRequests(options);
  const fix = "check FARTHING_RELAYER_WEB3SIGNER_URL and that Web3Signer runs in its eth1 mode";
  const listing = askSigner(
    service,
    async (signal) => readKeys(await ask("/api/v1/eth1/publicKeys", signal, keysBytesMax)),
    sentenceOf,
  );
  const keys = await atStart(listing, fix);
  return options.wallets.map((address) => {
    const identifier = keys.get(address.toLowerCase());
    if (identifier === undefined) {
      throw misconfigured(
        `Web3Signer has no key of ${address}; load the key there, or correct FARTHING_RELAYER_WEB3SIGNER_WALLETS`,
      );
    }
    return {
      address,
      service,
      sign: (transaction) => {
        const envelope = envelopeOf(transaction);
        const data = TxEnvelopeLegacy.serialize(envelope);
        const path = `/api/v1/eth1/sign/${identifier}`;
        return askSigner(
          service,
          async (signal) => {
            const text = await ask(path, signal, signatureBytesMax, { data });
            const payload = TxEnvelopeLegacy.getSignPayload(envelope);
            const signature = checkedSignature(payload, readSignature(text), address);
            return attachSignature(envelope, signature);
          },
          sentenceOf,
        );
      },
    };
  });
}

/** Sends requests that follow no redirect: only the configured service may be asked to sign. */
function createRequests({ url, authorization }: Web3SignerOptions) {
  const base = new URL(url.expose());
  const { username, password } = base;
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  base.username = "";
  base.password = "";
  const credentials =
    authorization?.expose() ?? (username === "" ? undefined : `Basic ${basic.toString("base64")}`);
  const start = base.href.replace(/\/+$/, "");

  return async (path: string, signal: AbortSignal, bytesMax: number, body?: object) => {
    const response = await fetch(`${start}${path}`, {
      method: body ? "POST" : "GET",
      redirect: "error",
      signal,
      headers: {
        ...(body && { "content-type": "application/json" }),
        ...(credentials !== undefined && { authorization: credentials }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await readText(response, bytesMax);
    if (response.ok && text !== undefined) return text;
    const problem = response.ok ? "the reply is too large" : `it replied HTTP ${response.status}`;
    if (response.status >= 500 || response.status === 429) throw new Error(problem);
    throw new SignerRefusal(problem);
  };
}

/** Its public keys by address, in lower case. */
function readKeys(text: string): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const key of parseList(text)) {
    if (typeof key !== "string" || !/^0x(04)?[0-9a-fA-F]{128}$/.test(key)) continue;
    const point: Hex = `0x04${key.slice(-2 * (publicKeyLength - 1))}`;
    const address = OxAddress.fromPublicKey(PublicKey.fromHex(point));
    keys.set(address.toLowerCase(), key);
  }
  return keys;
}

function parseList(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {
    // Reported below.
  }
  throw new SignerRefusal("the reply is not a list of public keys");
}

/** The recovery id is ignored: the one that leads to the wallet is found. */
function readSignature(text: string): { readonly r: bigint; readonly s: bigint } {
  const hex: unknown = text.trim().replaceAll('"', "");
  if (isHexBytes(hex, signatureLength) && hex.length === 2 + 2 * signatureLength) {
    return { r: BigInt(hex.slice(0, 66)), s: BigInt(`0x${hex.slice(66, 130)}`) };
  }
  throw new SignerRefusal("the reply is not a signature");
}

/** Names no part of the URL, which may hold a password. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return "the request failed";
  if (error instanceof SignerRefusal || error.message.startsWith("it replied"))
    return error.message;
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : error.name;
  return `the request failed (${code})`;
}
