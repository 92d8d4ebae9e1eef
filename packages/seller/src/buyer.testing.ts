/** A buyer for tests: reads a challenge, signs a real authorization, writes any payment header. */
import {
  authorizationTypedData,
  bindingNonce,
  bodyHashOf,
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  parseChallenge,
  toWireAuthorization,
  withBindingSalt,
  type Authorization,
  type Hex,
  type JsonObject,
  type Requirements,
} from "@farthing/protocol";
import { privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import type { FacilitatorRequest } from "./facilitator.ts";

// The public key of Hardhat's account 1: worth nothing anywhere.
const usualAccount = privateKeyToAccount(
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
);

/** The address that pays, unless a test brings another. */
export const payer = usualAccount.address;

let paymentsMade = 0;

/** What a test changes about a payment. */
export interface Changes {
  readonly account?: PrivateKeyAccount;
  readonly authorization?: Partial<Authorization>;
  readonly accepted?: JsonObject;
  readonly resource?: JsonObject;
  /** Members of a version 2 payment beside the signed ones. */
  readonly payment?: JsonObject;
}

/** A payment header ready to send. */
export type PaymentHeader = Readonly<Record<string, string>>;

/** Pays the challenge of an address in the official version 2 shape. */
export async function payFor(url: string, init: RequestInit = {}, changes: Changes = {}) {
  return pay(await fetch(url, init), "v2", changes);
}

/** Pays a challenge in one of the three shapes. */
export async function pay(
  response: Response,
  shape: "v1" | "v2" | "flat-v2",
  changes: Changes = {},
): Promise<PaymentHeader> {
  const body: unknown = await response.json();
  const header = decodeHeader(response.headers.get(headerNames.paymentRequired) ?? "")?.value;
  const parsed = parseChallenge(shape === "v1" ? body : header);
  if (!parsed.ok) throw new Error(`No challenge: ${parsed.refusal.message}`);
  const version = shape === "v1" ? 1 : 2;
  const entry = parsed.value.entries.find(({ requirements }) => requirements.version === version);
  if (!entry) throw new Error(`The challenge has no entry of version ${version}.`);
  const payload = await sign(entry.requirements, changes);
  const { networkName: network } = entry.requirements;
  const resource = changes.resource ?? parsed.value.resource;
  if (shape === "v1") {
    const payment = { x402Version: 1, scheme: "exact", network, payload };
    return { [headerNames.xPayment]: encodeHeader(payment) };
  }
  // Stock version 2 buyers echo the extensions of the challenge, and no other buyer does.
  const { extensions } = parsed.value;
  const accepted = { ...entry.raw, ...changes.accepted };
  const payment =
    shape === "v2"
      ? { x402Version: 2, payload, resource, accepted, extensions, ...changes.payment }
      : { x402Version: 2, scheme: "exact", network, payload };
  return { [headerNames.paymentSignature]: encodeHeader(payment) };
}

/** The payment in a header, as its seller reads it. */
export function payloadOf(header: PaymentHeader): JsonObject {
  const [value] = Object.values(header);
  const payload = decodeHeader(value)?.value;
  if (!isObject(payload)) throw new Error("The header holds no payment.");
  return payload;
}

/**
 * The payment as somebody makes it who never saw it: rebuilt from the calldata of its settlement and
 * from a challenge of the same address, whose token is another one.
 */
export async function rebuildFromChain(
  paid: PaymentHeader,
  url: string,
  init: RequestInit = {},
): Promise<PaymentHeader> {
  const challenge = await fetch(url, init);
  await challenge.text();
  const required = decodeHeader(challenge.headers.get(headerNames.paymentRequired))?.value;
  if (!isObject(required)) throw new Error("No challenge.");
  const { extensions } = required;
  return { [headerNames.paymentSignature]: encodeHeader({ ...payloadOf(paid), extensions }) };
}

/** Pays an address with a nonce that commits to the request. */
export async function payBound(
  url: string,
  init: RequestInit = {},
  { body = "" }: { readonly body?: string } = {},
): Promise<PaymentHeader> {
  return payBoundFor(await fetch(url, init), init.method ?? "GET", body);
}

/** Pays a challenge with a nonce that commits to a request, its salt in the payment. */
export async function payBoundFor(
  challenge: Response,
  method: string,
  body: string,
): Promise<PaymentHeader> {
  const required = decodeHeader(challenge.headers.get(headerNames.paymentRequired))?.value;
  const parsed = parseChallenge(required);
  if (!parsed.ok) throw new Error(`No challenge: ${parsed.refusal.message}`);
  const { extensions, resource, entries } = parsed.value;
  const [entry] = entries;
  if (!entry) throw new Error("The challenge has no entry.");
  const salt = toHex(crypto.getRandomValues(new Uint8Array(32)));
  const nonce = bindingNonce({
    salt,
    method,
    url: String(resource?.["url"]),
    bodyHash: bodyHashOf(new TextEncoder().encode(body)),
    payTo: entry.requirements.payTo,
  });
  return pay(challenge, "v2", {
    authorization: { nonce },
    payment: { extensions: withBindingSalt(extensions, salt) },
  });
}

function toHex(bytes: Uint8Array): Hex {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

async function sign(
  requirements: Requirements,
  { account = usualAccount, authorization: changes }: Changes,
) {
  const authorization: Authorization = {
    from: account.address,
    to: requirements.payTo,
    value: requirements.amount,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + requirements.maxTimeoutSeconds),
    nonce: `0x${(++paymentsMade).toString(16).padStart(64, "0")}`,
    ...changes,
  };
  const signature = await account.signTypedData(
    authorizationTypedData(requirements.network, authorization),
  );
  return { signature, authorization: toWireAuthorization(authorization) };
}

/** A well-formed request for tests that never look into it. */
export const sampleRequest: FacilitatorRequest = {
  x402Version: 2,
  paymentPayload: {
    x402Version: 2,
    payload: {
      signature: "0x00",
      authorization: { from: "", to: "", value: "1", validAfter: "0", validBefore: "1", nonce: "" },
    },
  },
  paymentRequirements: {
    scheme: "exact",
    network: "eip155:50",
    amount: "1",
    asset: "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    maxTimeoutSeconds: 60,
    extra: {
      assetTransferMethod: "eip3009",
      name: "USDC",
      version: "2",
      decimals: 6,
      primaryType: "TransferWithAuthorization",
    },
  },
};
