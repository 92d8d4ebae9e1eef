/** What the honest facilitator checks without the chain. */
import {
  isSameAddress,
  isSignedByPayer,
  parsePaymentRequest,
  x402ReasonOf,
  type PaymentRequest,
} from "@farthing/protocol";
import type { FacilitatorFault } from "./faults.testing.ts";

/** A payment that is in order so far, or a reason. */
export type Checked =
  | { readonly request: PaymentRequest; readonly reason?: undefined }
  | { readonly request?: PaymentRequest; readonly reason: string };

/** Checks the body of `/verify` or `/settle`. Reasons are those of the specification. */
export function checkPayment(body: unknown, _fault?: FacilitatorFault): Checked {
  const parsed = parsePaymentRequest(body);
  if (!parsed.ok) return { reason: x402ReasonOf(parsed.refusal) ?? "invalid_payload" };
  const request = parsed.value;
  const { payment, requirements } = request;
  const { authorization, signature, network } = payment;
  const { to, value, validAfter, validBefore } = authorization;
  const now = BigInt(Math.floor(Date.now() / 1000));
  const rules: readonly (readonly [boolean, string])[] = [
    [network === requirements.network, "invalid_network"],
    [isSameAddress(requirements.asset, network.usdc), "invalid_payment_requirements"],
    [isSameAddress(payment.asset ?? network.usdc, network.usdc), "invalid_payment_requirements"],
    [isSameAddress(to, requirements.payTo), "invalid_exact_evm_payload_recipient_mismatch"],
    [value === requirements.amount, "invalid_exact_evm_payload_authorization_value_mismatch"],
    [validBefore > now, "invalid_exact_evm_payload_authorization_valid_before"],
    [validAfter < now, "invalid_exact_evm_payload_authorization_valid_after"],
    [isSignedByPayer(network, authorization, signature), "invalid_exact_evm_payload_signature"],
  ];
  const broken = rules.find(([isKept]) => !isKept);
  return broken ? { request, reason: broken[1] } : { request };
}
