/** Requests to `/verify` and `/settle` before and after they are bent, as plain JSON. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import { hexToBigInt, numberToHex, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { chainId, network } from "../deployment.ts";
import { priceUnits } from "../stock-sellers.ts";

/** A JSON object. */
export type Json = Record<string, unknown>;

/** A request as it goes over the wire, in either version. */
export interface WireRequest extends Json {
  readonly paymentPayload: Json;
  readonly paymentRequirements: Json;
}

/** What a request is made of before it is signed. */
export interface Draft {
  readonly authorization: {
    readonly from: Hex;
    readonly to: Hex;
    readonly value: string;
    readonly validAfter: string;
    readonly validBefore: string;
    readonly nonce: Hex;
  };
  readonly domain: { name: string; version: string; chainId: number; verifyingContract: Hex };
  readonly signer: DevnetWallet;
}

/** What a case may use. */
export interface Stage {
  readonly devnet: Devnet;
  readonly buyer: DevnetWallet;
  readonly other: DevnetWallet;
  /** Holds no USDC. */
  readonly poor: DevnetWallet;
  /** Settles a request with our facilitator. */
  settle(request: WireRequest): Promise<unknown>;
}

/** The label of the test network in version 1. */
export const labelV1 = "xdc-apothem";

/** Long enough for every margin, and what a stock client signs for 120 s. */
const validSeconds = 120;

/** The unsigned parts of a good payment. */
export function draft({ devnet, buyer }: Stage): Draft {
  const nowSeconds = Math.floor(Date.now() / 1000);
  return {
    authorization: {
      from: buyer.address,
      to: devnet.seller.address,
      value: priceUnits,
      validAfter: "0",
      validBefore: String(nowSeconds + validSeconds),
      // Random, and of the right length.
      nonce: generatePrivateKey(),
    },
    domain: { name: "USDC", version: "2", chainId, verifyingContract: devnet.token },
    signer: buyer,
  };
}

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

/** Signs a draft. */
export function sign({ authorization, domain, signer }: Draft): Promise<Hex> {
  const { value, validAfter, validBefore, ...rest } = authorization;
  return privateKeyToAccount(signer.privateKey).signTypedData({
    domain,
    types,
    primaryType: "TransferWithAuthorization",
    message: {
      ...rest,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  });
}

/** The official version 2 request for a signed draft. */
export function requestV2({ devnet }: Stage, made: Draft, signature: Hex): WireRequest {
  const requirements = () => ({
    scheme: "exact",
    network,
    amount: priceUnits,
    asset: devnet.token,
    payTo: devnet.seller.address,
    maxTimeoutSeconds: validSeconds,
    extra: { name: "USDC", version: "2" },
  });
  const resource = { url: "https://seller.example/report", description: "", mimeType: "" };
  const payload = { signature, authorization: { ...made.authorization } };
  const paymentPayload = { x402Version: 2, resource, accepted: requirements(), payload };
  return { x402Version: 2, paymentPayload, paymentRequirements: requirements() };
}

/** The version 1 request for a signed draft. */
export function requestV1({ devnet }: Stage, made: Draft, signature: Hex): WireRequest {
  const payload = { signature, authorization: { ...made.authorization } };
  const paymentRequirements = {
    scheme: "exact",
    network: labelV1,
    maxAmountRequired: priceUnits,
    resource: "https://seller.example/report",
    description: "",
    mimeType: "",
    payTo: devnet.seller.address,
    maxTimeoutSeconds: validSeconds,
    asset: devnet.token,
    extra: { name: "USDC", version: "2" },
  };
  const paymentPayload = { x402Version: 1, scheme: "exact", network: labelV1, payload };
  return { x402Version: 1, paymentPayload, paymentRequirements };
}

/** Whether a value has members. */
export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null;

/** Sets a member by its path; `undefined` removes it. The path's first word may be a short form. */
export function set(request: WireRequest, path: string, value: unknown): void {
  const [first = "", ...rest] = path.split(".");
  const keys = [...(shortForms[first] ?? first).split("."), ...rest];
  const last = keys.pop() ?? "";
  let object: Json = request;
  for (const key of keys) {
    const inner = object[key];
    if (!isJson(inner)) throw new Error(`${path} leads nowhere at ${key}.`);
    object = inner;
  }
  if (value === undefined) delete object[last];
  else object[last] = value;
}

const shortForms: Readonly<Record<string, string>> = {
  payment: "paymentPayload",
  payload: "paymentPayload.payload",
  authorization: "paymentPayload.payload.authorization",
  accepted: "paymentPayload.accepted",
  terms: "paymentRequirements",
};

/** The curve's order: `s` and `order - s` sign the same. */
const order = hexToBigInt("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");

/** The other form of a signature, which the token refuses because `s` is in the upper half. */
export function withHighS(signature: Hex): Hex {
  const { r, s, v } = split(signature);
  return join(r, numberToHex(order - hexToBigInt(s), { size: 32 }), v === 27 ? 28 : 27);
}

/** The same signature with another `v`. */
export function withV(signature: Hex, change: (v: number) => number): Hex {
  const { r, s, v } = split(signature);
  return join(r, s, change(v));
}

/** The 64-byte form of EIP-2098. */
export function compact(signature: Hex): Hex {
  const { r, s, v } = split(signature);
  const parity = BigInt(v - 27) << 255n;
  return `${r}${numberToHex(hexToBigInt(s) | parity, { size: 32 }).slice(2)}`;
}

/** The same signature with another `r`. */
export function withR(signature: Hex, r: Hex): Hex {
  const { s, v } = split(signature);
  return join(r, s, v);
}

function split(signature: Hex): { r: Hex; s: Hex; v: number } {
  return {
    r: `0x${signature.slice(2, 66)}`,
    s: `0x${signature.slice(66, 130)}`,
    v: Number.parseInt(signature.slice(130), 16),
  };
}

const join = (r: Hex, s: Hex, v: number): Hex =>
  `${r}${s.slice(2)}${v.toString(16).padStart(2, "0")}`;
