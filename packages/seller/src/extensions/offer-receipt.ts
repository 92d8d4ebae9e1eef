/**
 * The extension `offer-receipt` (version 1): the seller signs what the challenge offers, and after
 * delivery a receipt, as a JWS or as typed data (EIP-712). Only a seller with a key online has it.
 */
import {
  canonicalJson,
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  member,
  offerReceiptKey,
  offerReceiptTypedData,
  offerReceiptVersion,
  type JsonObject,
  type SellerStatementKind,
} from "@farthing/protocol";
import type { PaidRequest } from "../events.ts";
import { ConfigurationError } from "../option-values.ts";

/** Typed data as wallets and the accounts of viem sign it. */
export interface TypedDataToSign {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
  };
  readonly types: Record<string, { name: string; type: string }[]>;
  readonly primaryType: string;
  readonly message: Record<string, unknown>;
}

/** Signs offers and receipts. Verifiers have to learn from elsewhere that the key is the seller's. */
export type ReceiptSigner =
  | {
      readonly format: "eip712";
      /** As `signTypedData` of a viem account; returns 65 bytes as hexadecimal text. */
      signTypedData(data: TypedDataToSign): Promise<string>;
    }
  | {
      readonly format: "jws";
      /** Names the key, e.g. `did:web:api.example.com#key-1`. */
      readonly kid: string;
      /** `EdDSA`, `ES256K` or another algorithm of JWS. */
      readonly algorithm: string;
      /** Signs bytes and returns the signature as base64url. */
      sign(bytes: Uint8Array): Promise<string> | string;
    };

type Signed =
  | { readonly format: "jws"; readonly signature: string }
  | { readonly format: "eip712"; readonly payload: JsonObject; readonly signature: string };

/** Adds an offer for each entry of a challenge to its header; other responses stay as they are. */
export async function signOffers(
  signer: ReceiptSigner,
  headers: Headers,
  nowMs: number,
): Promise<void> {
  const challenge = read(headers, headerNames.paymentRequired);
  const accepts = challenge && member(challenge, "accepts");
  const resource = challenge && member(challenge, "resource");
  if (!challenge || !Array.isArray(accepts) || !isObject(resource)) return;
  const entries: readonly unknown[] = accepts;
  const offers = await Promise.all(
    entries.filter(isObject).map(async (entry, acceptIndex) => {
      const { scheme, network, asset, payTo, amount, maxTimeoutSeconds } = entry;
      const validUntil = Math.floor(nowMs / 1000) + Number(maxTimeoutSeconds);
      const resourceUrl = member(resource, "url");
      const terms = { scheme, network, asset, payTo, amount };
      const offer = { version: offerReceiptVersion, resourceUrl, ...terms, validUntil };
      return { acceptIndex, ...(await sign(signer, "offer", offer)) };
    }),
  );
  write(headers, headerNames.paymentRequired, withInfo(challenge, { offers }));
}

/**
 * Adds a receipt of a delivered payment to the response's receipt of version 2. The header of version
 * 1 stays as it is: its readers do not know the extension, and proxies bound headers.
 */
export async function signReceipt(
  signer: ReceiptSigner,
  headers: Headers,
  delivered: { readonly url: string; readonly payment: PaidRequest; readonly nowMs: number },
): Promise<void> {
  const settled = read(headers, headerNames.paymentResponse);
  if (!settled) return;
  const { url: resourceUrl, payment, nowMs } = delivered;
  const { payer, network, transaction = "" } = payment;
  const issuedAt = Math.floor(nowMs / 1000);
  const receipt = {
    version: offerReceiptVersion,
    network,
    resourceUrl,
    payer,
    issuedAt,
    transaction,
  };
  const info = { receipt: await sign(signer, "receipt", receipt) };
  write(headers, headerNames.paymentResponse, withInfo(settled, info));
}

async function sign(
  signer: ReceiptSigner,
  kind: SellerStatementKind,
  payload: JsonObject,
): Promise<Signed> {
  if (signer.format === "jws") {
    const parts = [
      JSON.stringify({ alg: signer.algorithm, kid: signer.kid }),
      canonicalJson(payload),
    ];
    const text = parts.map(base64url).join(".");
    const signature = await signer.sign(new TextEncoder().encode(text));
    return { format: "jws", signature: `${text}.${signature}` };
  }
  const signature = await signer.signTypedData(offerReceiptTypedData(kind, payload));
  return { format: "eip712", payload, signature };
}

function read(headers: Headers, name: string): JsonObject | undefined {
  const value = decodeHeader(headers.get(name))?.value;
  return isObject(value) ? value : undefined;
}

function write(headers: Headers, name: string, value: JsonObject): void {
  headers.set(name, encodeHeader(value));
}

function withInfo(message: JsonObject, info: JsonObject): JsonObject {
  const extensions = member(message, "extensions");
  const others = isObject(extensions) ? extensions : {};
  return { ...message, extensions: { ...others, [offerReceiptKey]: { info } } };
}

function base64url(text: string): string {
  const binary = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** A DID with its fragment; it travels in a header. */
const maxKidChars = 200;

/** Throws {@link ConfigurationError} for a signer that could not sign. */
export function parseReceiptSigner(signer: ReceiptSigner | undefined): ReceiptSigner | undefined {
  const isComplete =
    signer === undefined ||
    (signer.format === "jws"
      ? typeof signer.sign === "function" && isName(signer.kid) && isName(signer.algorithm)
      : signer.format === "eip712" && typeof signer.signTypedData === "function");
  if (isComplete) return signer;
  const shape =
    "an object of format eip712 with signTypedData, or jws with kid, algorithm and sign";
  throw new ConfigurationError("receiptSigner", shape, '{ format: "eip712", signTypedData }');
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= maxKidChars;
}
