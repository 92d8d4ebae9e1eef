/** Payments as buyers sign them, and the messages that carry them. */
import type { DevnetWallet } from "@farthing/devnet";
import {
  authorizationDigestBytes,
  networkOfChain,
  signDigest,
  toWireAuthorization,
  type Address,
  type Authorization,
  type ChainId,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import * as Hexadecimal from "ox/Hex";

/** The test network: its keys and its USDC are worth nothing. */
export const chainId: ChainId = 51;
export const network = networkOfChain(chainId);

/** One US cent in base units. */
export const priceUnits = 10_000n;

/** Seconds for which a payment can be used, as stock sellers ask by default. */
export const lifetimeSeconds = 300;

/**
 * A payee that no case pays from: money that a subject wrongly sends there gives no poor payer its funds.
 */
export const stranger: Address = "0x2222222222222222222222222222222222222222";

/** A signed payment. */
export interface SignedPayment {
  readonly authorization: Authorization;
  readonly signature: Hex;
}

/** Signs an authorization for the payee; `changes` replaces members before the signature. */
export function signPayment(
  payer: DevnetWallet,
  payTo: Address,
  changes: Partial<Authorization> = {},
): SignedPayment {
  const authorization: Authorization = {
    from: payer.address,
    to: payTo,
    value: priceUnits,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + lifetimeSeconds),
    nonce: Hexadecimal.random(32),
    ...changes,
  };
  const digest = authorizationDigestBytes(network, authorization);
  return { authorization, signature: signDigest(payer.privateKey, digest) };
}

/** One entry of `accepts` in version 2. */
export function requirementsV2(payTo: Address, changes: JsonObject = {}): JsonObject {
  return {
    scheme: "exact",
    network: network.id,
    amount: `${priceUnits}`,
    asset: network.usdc,
    payTo,
    maxTimeoutSeconds: lifetimeSeconds,
    extra: { ...network.domain },
    ...changes,
  };
}

/** `PaymentPayload` of version 2. */
export function payloadV2(
  { authorization, signature }: SignedPayment,
  accepted: JsonObject,
  members: JsonObject = {},
): JsonObject {
  return {
    x402Version: 2,
    payload: { signature, authorization: toWireAuthorization(authorization) },
    resource: { url: "https://seller.example/report", description: "Report" },
    accepted,
    ...members,
  };
}

/** The body of `/verify` and `/settle` in version 2. */
export function requestV2(
  payment: SignedPayment,
  requirements: JsonObject = requirementsV2(payment.authorization.to),
): JsonObject {
  return {
    x402Version: 2,
    paymentPayload: payloadV2(payment, requirements),
    paymentRequirements: requirements,
  };
}

/** `PaymentPayload` of version 1, where the network has the label. */
export function payloadV1({ authorization, signature }: SignedPayment, label: string): JsonObject {
  return {
    x402Version: 1,
    scheme: "exact",
    network: label,
    payload: { signature, authorization: toWireAuthorization(authorization) },
  };
}

/** The body of `/verify` and `/settle` in version 1, where the network has the label. */
export function requestV1(payment: SignedPayment, label: string): JsonObject {
  const { authorization } = payment;
  return {
    x402Version: 1,
    paymentPayload: payloadV1(payment, label),
    paymentRequirements: requirementsV1(authorization.to, label),
  };
}

/** One entry of `accepts` in version 1. */
export function requirementsV1(payTo: Address, label: string = network.label): JsonObject {
  return {
    scheme: "exact",
    network: label,
    maxAmountRequired: `${priceUnits}`,
    resource: "https://seller.example/report",
    description: "Report",
    mimeType: "application/json",
    payTo,
    maxTimeoutSeconds: lifetimeSeconds,
    asset: network.usdc,
    extra: { ...network.domain },
  };
}
