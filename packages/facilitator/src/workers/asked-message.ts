/** A payment between a worker, which reads it, and the main process, which evaluates it. */
import {
  findNetworkOf,
  isChannelRequest,
  isObject,
  member,
  type Hex,
  type Network,
  type Payment,
  type Requirements,
} from "@farthing/protocol";
import { assert } from "@farthing/engine/base";
import { readSignature, type SignatureReading } from "@farthing/engine/x402";
import { firstNetwork, namedNetworks } from "../http/server/observe.ts";
import type { AskedPayment } from "../payments/payment-call.ts";
import type { AskedMessage, PaymentMessage, RequirementsMessage } from "./messages.ts";

/** What the main process is told of a body, with the network for the metrics. */
export interface ToldPayment {
  readonly asked: AskedPayment;
  readonly networkId: string;
}

/**
 * Reads the signature of a payment, which is the costly part. `needsBody`: the account's log of calls
 * describes the body. The main process never reads `accepted` and the buyer's extensions, and it reads
 * the message of a channel itself: those are rare beside the calls that a channel saves.
 */
export function writeAsked(asked: AskedPayment, needsBody: boolean): AskedMessage {
  const { parsed, isOfficial, networkName } = asked;
  const isRead = hasListedExtension(asked.body) || isChannelRequest(asked.body);
  const body = needsBody || isRead ? asked.body : 0;
  if (!parsed.ok) {
    const networkId = firstNetwork(namedNetworks(asked.body));
    return ["unreadable", isOfficial, parsed.refusal, networkName, networkId, body];
  }
  const { payment, requirements, identifier } = parsed.value;
  const reading = readSignature(payment);
  const bytes = bytesOf(reading);
  return [
    "payment",
    isOfficial,
    writePayment(payment, needsBody),
    writeRequirements(requirements, needsBody),
    identifier ?? null,
    reading.kind,
    bytes === payment.signature ? null : (bytes ?? null),
    body,
  ];
}

function writePayment(payment: Payment, needsResource: boolean): PaymentMessage {
  const { from, to, value, validAfter, validBefore, nonce } = payment.authorization;
  const url = payment.resource && member(payment.resource, "url");
  return [
    payment.shape,
    payment.networkName,
    from,
    to,
    value.toString(),
    validAfter.toString(),
    validBefore.toString(),
    nonce,
    payment.signature,
    payment.asset ?? null,
    needsResource && typeof url === "string" ? url : null,
  ];
}

function writeRequirements(required: Requirements, needsResource: boolean): RequirementsMessage {
  return [
    required.networkName,
    required.asset,
    required.amount.toString(),
    required.payTo,
    required.maxTimeoutSeconds,
    required.domainName ?? null,
    required.domainVersion ?? null,
    required.paymentFlow ?? null,
    needsResource ? (required.resource ?? null) : null,
  ];
}

export function readAskedMessage(message: AskedMessage): ToldPayment {
  if (message[0] === "unreadable") {
    const [, isOfficial, refusal, networkName, networkId, body] = message;
    return { asked: { parsed: { ok: false, refusal }, isOfficial, networkName, body }, networkId };
  }
  const [, isOfficial, paymentTold, required, identifier, kind, bytes, body] = message;
  const payment = readPayment(paymentTold);
  const requirements = readRequirements(required);
  const value = { payment, requirements, ...(identifier !== null && { identifier }) };
  const reading = readReading(kind, bytes, payment.signature);
  const { networkName, network } = requirements;
  const asked = { parsed: { ok: true, value }, reading, isOfficial, networkName, body } as const;
  return { asked, networkId: network.id };
}

function readPayment(told: PaymentMessage): Payment {
  const [shape, networkName, from, to, value, validAfter, validBefore, ...rest] = told;
  const [nonce, signature, asset, url] = rest;
  const version = shape === "v1" ? 1 : 2;
  return {
    shape,
    version,
    network: networkNamed(version, networkName),
    networkName,
    authorization: {
      from,
      to,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce,
    },
    signature,
    ...(asset !== null && { asset }),
    ...(url !== null && { resource: { url } }),
  };
}

function readRequirements(told: RequirementsMessage): Requirements {
  const [networkName, asset, amount, payTo, maxTimeoutSeconds, ...rest] = told;
  const [domainName, domainVersion, paymentFlow, resource] = rest;
  const version = networkName.includes(":") ? 2 : 1;
  return {
    version,
    network: networkNamed(version, networkName),
    networkName,
    asset,
    amount: BigInt(amount),
    payTo,
    maxTimeoutSeconds,
    ...(domainName !== null && { domainName }),
    ...(domainVersion !== null && { domainVersion }),
    ...(paymentFlow !== null && { paymentFlow }),
    ...(resource !== null && { resource }),
  };
}

/** Networks are compared by identity, so each process has its own. */
function networkNamed(version: 1 | 2, name: string): Network {
  const network = findNetworkOf(version, name);
  assert(network, "a worker passes on payments of known networks only");
  return network;
}

function readReading(
  kind: SignatureReading["kind"],
  bytes: Hex | null,
  received: Hex,
): SignatureReading {
  if (kind === "payer") return { kind, bytes: bytes ?? received };
  return kind === "wrapped" ? { kind, inner: bytes ?? undefined } : { kind };
}

/** Signatures of plain keys and of wrapped ones name other bytes; those of contracts do not. */
function bytesOf(reading: SignatureReading) {
  if (reading.kind === "payer") return reading.bytes;
  return reading.kind === "wrapped" ? reading.inner : undefined;
}

/** The one extension of a payment that has a response, which the main process finds in the body. */
function hasListedExtension(body: unknown): boolean {
  const payload = isObject(body) ? member(body, "paymentPayload") : undefined;
  const extensions = isObject(payload) ? member(payload, "extensions") : undefined;
  return isObject(extensions) && Object.hasOwn(extensions, "bazaar");
}
