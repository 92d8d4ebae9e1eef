/** What went wrong with a payment or refund, in a few words for people; the code is for programs. */
import type { RefusalCode } from "@farthing/protocol";

const names: Readonly<Record<RefusalCode, string>> = {
  invalid_payload: "Malformed payment",
  invalid_payment_requirements: "Malformed payment requirements",
  invalid_x402_version: "Unknown x402 version",
  unsupported_scheme: "Unsupported payment scheme",
  unsupported_transfer_method: "Unsupported transfer method",
  unsupported_network: "Network not served",
  network_mismatch: "Signed for another network",
  asset_mismatch: "Not the USDC of this network",
  token_domain_mismatch: "Wrong token name or version",
  invalid_signature: "Signature does not match the payer",
  wallet_not_deployed: "Smart wallet not deployed",
  amount_mismatch: "Amount differs from the price",
  pay_to_mismatch: "Signed for another recipient",
  self_payment: "Payer and recipient are the same",
  authorization_expired: "Authorization expired",
  authorization_expires_too_soon: "Authorization expires too soon",
  authorization_not_yet_valid: "Authorization not valid yet",
  nonce_already_used: "Authorization already used",
  insufficient_funds: "Payer has too little USDC",
  token_paused: "USDC paused by its issuer",
  payer_blocked: "Payer blocked by Circle",
  payee_blocked: "Recipient blocked by Circle",
  address_not_served: "Address not served here",
  simulation_failed: "Transfer would fail on chain",
  payer_spend_cap_reached: "Payer reached the spending cap",
  payer_count_reached: "Payer reached the daily number of payments",
  amount_below_minimum: "Amount below the minimum",
  payer_paused: "Payer’s smart wallet paused",
  payment_identifier_conflict: "Identifier stands for another payment",
  settlement_pending: "Transfer under way",
  already_settled: "Settled before",
  authorization_canceled: "Canceled by the payer",
  transaction_reverted: "Transaction reverted",
  binding_mismatch: "Signed for another request",
  binding_required: "Payment not bound to a request",
  settlement_not_refundable: "Payment cannot be refunded yet",
  refund_mismatch: "Refund does not match the payment",
  refund_exceeds_payment: "Refund exceeds the payment",
  refund_limit_reached: "Payment has all its refunds",
  transfer_not_found: "Transfer not found in the transaction",
};

/** The code itself where a newer service has one that this page does not know. */
export function failureName(code: string): string {
  const known: ReadonlyMap<string, string> = new Map(Object.entries(names));
  return known.get(code) ?? code;
}
