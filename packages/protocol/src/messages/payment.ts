/**
 * The payment a buyer sends: three shapes on the wire, one form inside.
 *
 * - `v1`: `x402Version: 1` with `scheme` and `network` beside `payload`;
 * - `v2`: `x402Version: 2` with the chosen entry in `accepted` (what stock software sends), which
 *   wins over a `scheme` and `network` beside it;
 * - `flat-v2`: `x402Version: 2` with `scheme` and `network` at the top.
 *
 * Only the signed authorization is acted on. What `accepted` states beside it is kept for the
 * seller, who compares it with their offer; the facilitator checks its network and asset only.
 */
import {
  isSameAddress,
  parseWireAddress,
  wireAddressProblem,
  type Address,
} from "../networks/address.ts";
import { depositCollector } from "../networks/channel-addresses.ts";
import {
  parseAuthorization,
  toWireAuthorization,
  type Authorization,
  type WireAuthorization,
} from "../signatures/authorization.ts";
import { isHexBytes, toLowerHex, type Hex } from "../encoding/hex.ts";
import { defined, isObject, member, objectMembers, type JsonObject } from "../encoding/json.ts";
import { findNetworkOf, type Network } from "../networks/networks.ts";
import { readPaymentIdentifier } from "../extensions/payment-identifier.ts";
import { accept, refuse, type Outcome } from "../errors/refusals.ts";
import { parseRequirements, unknownNetworkMessage, type Requirements } from "./requirements.ts";

export type PaymentShape = "v1" | "v2" | "flat-v2";

/** A signed payment, well-formed and not verified. */
export interface Payment {
  readonly shape: PaymentShape;
  readonly version: 1 | 2;
  readonly network: Network;
  /** The network as the payment named it. */
  readonly networkName: string;
  readonly authorization: Authorization;
  /** As received; contract wallets' signatures may have any length. */
  readonly signature: Hex;
  /** The asset in `accepted`. */
  readonly asset?: Address;
  /** The chosen entry as the buyer echoes it (shape `v2` only). */
  readonly accepted?: JsonObject;
  readonly resource?: JsonObject;
  readonly extensions?: JsonObject;
}

/** The two objects that `/verify` and `/settle` take. */
export interface PaymentRequest {
  readonly payment: Payment;
  readonly requirements: Requirements;
  /** From the extension `payment-identifier`. */
  readonly identifier?: string;
}

/**
 * A signed authorization as a request to settle, for those who have no challenge. `amount`, in base
 * units, and `payTo` are what the payment must fit.
 */
export function requestFor(
  network: Network,
  { authorization, signature }: Pick<Payment, "authorization" | "signature">,
  { amount, payTo }: Pick<Requirements, "amount" | "payTo">,
): PaymentRequest {
  const name = { network, networkName: network.id };
  return {
    payment: { shape: "flat-v2", version: 2, ...name, authorization, signature },
    requirements: {
      version: 2,
      ...name,
      asset: network.usdc,
      amount,
      payTo,
      // Unused: the authorization has its own end.
      maxTimeoutSeconds: 1,
    },
  };
}

export interface WirePayment {
  readonly x402Version: 1 | 2;
  readonly scheme?: "exact";
  readonly network?: string;
  readonly payload: { readonly signature: Hex; readonly authorization: WireAuthorization };
  readonly accepted?: JsonObject;
  readonly resource?: JsonObject;
  readonly extensions?: JsonObject;
}

/** A contract wallet with about a hundred owners; a plain signature has 65 bytes. */
export const signatureBytesMax = 8192;

export function parsePayment(input: unknown): Outcome<Payment> {
  if (!isObject(input)) return malformed("paymentPayload must be an object");
  const version = member(input, "x402Version");
  if (version !== 1 && version !== 2) return refuse("invalid_x402_version");
  // Stock software treats null as absent (x402 core schemas).
  const accepted = member(input, "accepted") ?? undefined;
  if (version === 1 || accepted === undefined) return parseFlat(input, version);
  if (!isObject(accepted)) return malformed("accepted must be an object");
  return parseOfficialV2(input, accepted);
}

function parseOfficialV2(input: JsonObject, accepted: JsonObject): Outcome<Payment> {
  const scheme = member(accepted, "scheme");
  if (typeof scheme !== "string") return malformed("accepted.scheme must be a string");
  // Scheme and network come first: the form of the rest depends on them.
  if (scheme !== "exact") return refuse("unsupported_scheme");
  const networkName = member(accepted, "network");
  if (typeof networkName !== "string") return malformed("accepted.network must be a string");
  const network = findNetworkOf(2, networkName);
  if (!network) return refuse("unsupported_network", unknownNetworkMessage(2, networkName));
  const token = member(accepted, "asset");
  const asset = parseWireAddress(token);
  if (!asset) return malformed(wireAddressProblem("accepted.asset", token));
  const extra = member(accepted, "extra");
  const method = isObject(extra) ? (member(extra, "assetTransferMethod") ?? "eip3009") : "eip3009";
  if (method !== "eip3009") return refuse("unsupported_transfer_method");
  const core = parseCore(input, { version: 2, shape: "v2", network, networkName });
  return core.ok ? accept({ ...core.value, asset, accepted }) : core;
}

function parseFlat(input: JsonObject, version: 1 | 2): Outcome<Payment> {
  const scheme = member(input, "scheme");
  const networkName = member(input, "network");
  if (typeof scheme !== "string" || typeof networkName !== "string") {
    return malformed(
      version === 1
        ? "a version 1 payment has the strings scheme and network beside payload"
        : "a version 2 payment has the chosen entry in accepted, or scheme and network beside payload",
    );
  }
  if (scheme !== "exact") return refuse("unsupported_scheme");
  const network = findNetworkOf(version, networkName);
  if (!network) return refuse("unsupported_network", unknownNetworkMessage(version, networkName));
  const shape = version === 1 ? "v1" : "flat-v2";
  return parseCore(input, { version, shape, network, networkName });
}

function parseCore(
  input: JsonObject,
  head: { version: 1 | 2; shape: PaymentShape; network: Network; networkName: string },
): Outcome<Payment> {
  const payload = member(input, "payload");
  if (!isObject(payload)) return malformed("payload must be an object");
  const hasPermit2 = isObject(member(payload, "permit2Authorization"));
  if (hasPermit2) return refuse("unsupported_transfer_method");
  const signature = member(payload, "signature");
  if (!isHexBytes(signature, signatureBytesMax)) {
    return malformed(`payload.signature must be 0x and at most ${signatureBytesMax} bytes`);
  }
  const authorization = parseAuthorization(member(payload, "authorization"));
  if (!authorization.ok) return authorization;
  return accept({
    ...head,
    authorization: authorization.value,
    signature: toLowerHex(signature),
    ...objectMembers(input, "resource", "extensions"),
  });
}

function malformed(message: string) {
  return refuse("invalid_payload", `${message}.`);
}

/** Whoever calls the collector takes what is transferred to it, so nobody is paid that way. */
const toCollector =
  "authorization.to is the collector of deposits to payment channels, which keeps no money; pay the seller's address.";

/** Reads the body of `/verify` and `/settle`; an outer `x402Version` must equal the payload's. */
export function parsePaymentRequest(body: unknown): Outcome<PaymentRequest> {
  if (!isObject(body)) return malformed("the body must be a JSON object");
  const payload = member(body, "paymentPayload");
  const outer = member(body, "x402Version") ?? undefined;
  if (outer !== undefined && isObject(payload) && outer !== member(payload, "x402Version")) {
    return refuse("invalid_x402_version");
  }
  const payment = parsePayment(payload);
  if (!payment.ok) return payment;
  if (isSameAddress(payment.value.authorization.to, depositCollector)) {
    return refuse("pay_to_mismatch", toCollector);
  }
  const requirements = parseRequirements(member(body, "paymentRequirements"));
  if (!requirements.ok) return requirements;
  if (requirements.value.version !== payment.value.version) {
    return refuse(
      "invalid_payment_requirements",
      payment.value.version === 1
        ? "A version 1 payment needs version 1 requirements: maxAmountRequired and a network label."
        : "A version 2 payment needs version 2 requirements: amount and an eip155 network.",
    );
  }
  const identifier = readPaymentIdentifier(payment.value.extensions);
  if (!identifier.ok) return identifier;
  return accept({
    payment: payment.value,
    requirements: requirements.value,
    ...defined({ identifier: identifier.value ?? undefined }),
  });
}

/** In its own shape, always with scheme and network at the top, for readers of the flat one. */
export function toWirePayment(payment: Payment): WirePayment {
  const { authorization, signature } = payment;
  const payload = { signature, authorization: toWireAuthorization(authorization) };
  const tail = defined({ resource: payment.resource, extensions: payment.extensions });
  const head = { scheme: "exact", network: payment.networkName } as const;
  if (payment.shape === "v2") {
    return { x402Version: 2, ...head, payload, accepted: payment.accepted ?? {}, ...tail };
  }
  return { x402Version: payment.version, ...head, payload, ...tail };
}
