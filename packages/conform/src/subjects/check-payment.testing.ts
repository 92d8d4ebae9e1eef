/** What the honest facilitator checks without the chain. */
import {
  isObject,
  isSameAddress,
  isSignedByPayer,
  member,
  parsePaymentRequest,
  x402ReasonOf,
  type PaymentRequest,
} from "@farthing/protocol";
import type { FacilitatorFault } from "./faults.testing.ts";
import { expired } from "./reasons.testing.ts";

/** A payment that is in order so far, or a reason. */
export type Checked =
  | { readonly request: PaymentRequest; readonly reason?: undefined }
  | { readonly request?: PaymentRequest; readonly reason: string };

const yearSeconds = 31_536_000n;

/** Checks the body of `/verify` or `/settle`. Reasons are those of the specification. */
export function checkPayment(body: unknown, fault: FacilitatorFault | undefined): Checked {
  const parsed = parsePaymentRequest(body);
  if (!parsed.ok) return checkUnread(body, x402ReasonOf(parsed.refusal), fault);
  const request = parsed.value;
  const { payment, requirements } = request;
  const { authorization, signature, network } = payment;
  const { to, value, validAfter, validBefore } = authorization;
  const now = BigInt(Math.floor(Date.now() / 1000));
  /** Kept or not, the reason, and the case that finds the rule left out. */
  const rules: readonly (readonly [boolean, string, FacilitatorFault?])[] = [
    [network === requirements.network, "invalid_network"],
    [
      isSameAddress(requirements.asset, network.usdc),
      "invalid_payment_requirements",
      "refuses-another-asset",
    ],
    [
      (requirements.domainName ?? network.domain.name) === network.domain.name,
      "invalid_exact_evm_token_name_mismatch",
      "refuses-a-wrong-domain",
    ],
    [
      isSameAddress(to, requirements.payTo),
      "invalid_exact_evm_payload_recipient_mismatch",
      "refuses-another-payee",
    ],
    [
      value === requirements.amount,
      "invalid_exact_evm_payload_authorization_value_mismatch",
      "refuses-a-lower-amount",
    ],
    [validBefore > now, expired, "refuses-an-expired-payment"],
    [
      validAfter < now,
      "invalid_exact_evm_payload_authorization_valid_after",
      "refuses-an-early-payment",
    ],
    [
      isSignedByPayer(network, authorization, signature),
      "invalid_exact_evm_payload_signature",
      "refuses-a-forged-signature",
    ],
    // Not a rule of anybody: what two of the faults refuse.
    [fault !== "published-vector" || validBefore < now + yearSeconds, "invalid_payload"],
    [fault !== "version-1" || payment.version === 2, "invalid_x402_version"],
  ];
  const broken = rules.find(([isKept, , name]) => !isKept && (!name || name !== fault));
  if (!broken) return { request };
  return { request, reason: fault === "reasons-are-known" ? "no" : broken[1] };
}

/** Two of the faults throw where they read what is not there, or is no number. */
function checkUnread(body: unknown, reason: string, fault: FacilitatorFault | undefined): Checked {
  const payload = read(read(body, "paymentPayload"), "payload");
  const authorization = read(payload, "authorization");
  if (fault === "refuses-a-missing-authorization" && payload && !authorization) {
    throw new Error("the payload has no authorization");
  }
  if (fault === "refuses-an-amount-that-is-none" && authorization) {
    BigInt(String(read(authorization, "value")));
  }
  return { reason };
}

const read = (value: unknown, name: string) => (isObject(value) ? member(value, name) : undefined);
