/** What the answers must carry, written down apart from the program's own table. */
import type { RefusalCode } from "@farthing/protocol";

/** The ecosystem's name of each refusal, for `extra.x402Reason`. */
export const x402Reasons: Readonly<Record<RefusalCode, string>> = {
  invalid_payload: "invalid_payload",
  invalid_payment_requirements: "invalid_payment_requirements",
  invalid_x402_version: "invalid_x402_version",
  unsupported_scheme: "invalid_exact_evm_scheme",
  unsupported_transfer_method: "unsupported_payload_type",
  unsupported_network: "invalid_network",
  network_mismatch: "invalid_exact_evm_network_mismatch",
  asset_mismatch: "invalid_payment_requirements",
  token_domain_mismatch: "invalid_exact_evm_token_name_mismatch",
  invalid_signature: "invalid_exact_evm_signature",
  wallet_not_deployed: "invalid_exact_evm_payload_undeployed_smart_wallet",
  amount_mismatch: "invalid_exact_evm_payload_authorization_value_mismatch",
  pay_to_mismatch: "invalid_exact_evm_recipient_mismatch",
  self_payment: "self_send_not_allowed",
  authorization_expired: "invalid_exact_evm_payload_authorization_valid_before",
  authorization_expires_too_soon: "invalid_exact_evm_payload_authorization_valid_before",
  authorization_not_yet_valid: "invalid_exact_evm_payload_authorization_valid_after",
  nonce_already_used: "invalid_exact_evm_nonce_already_used",
  insufficient_funds: "invalid_exact_evm_insufficient_balance",
  token_paused: "invalid_exact_evm_transaction_simulation_failed",
  payer_blocked: "invalid_exact_evm_transaction_simulation_failed",
  payee_blocked: "invalid_exact_evm_transaction_simulation_failed",
  address_not_served: "address_not_served",
  simulation_failed: "invalid_exact_evm_transaction_simulation_failed",
  payer_spend_cap_reached: "payer_spend_cap_reached",
  payer_count_reached: "payer_count_reached",
  amount_below_minimum: "amount_below_minimum",
  payer_paused: "payer_paused",
  payment_identifier_conflict: "payment_identifier_conflict",
  settlement_pending: "settlement_pending",
  already_settled: "duplicate_settlement",
  authorization_canceled: "invalid_exact_evm_nonce_already_used",
  transaction_reverted: "invalid_exact_evm_transaction_failed",
  transfer_not_found: "invalid_exact_evm_transfer_event_mismatch",
  settlement_not_refundable: "settlement_not_refundable",
  refund_mismatch: "refund_mismatch",
  refund_exceeds_payment: "refund_exceeds_payment",
  refund_limit_reached: "refund_limit_reached",
  binding_mismatch: "binding_mismatch",
  binding_required: "binding_required",
};

/** Refusals of a seller, which never reach the facilitator; the suites of the seller provoke each. */
export const sellerOnlyCodes = [
  "binding_mismatch",
  "binding_required",
] as const satisfies RefusalCode[];

/** Refusals by the operator's own list, which screening.test.ts provokes. */
export const operatorsCodes = ["address_not_served"] as const satisfies RefusalCode[];

/** Refusals of refunds; refunds.test.ts provokes each. */
export const refundOnlyCodes = [
  "settlement_not_refundable",
  "refund_mismatch",
  "refund_exceeds_payment",
  "refund_limit_reached",
] as const satisfies RefusalCode[];

/** Refusals that only a settle can meet; refusals-after-claim.test.ts provokes each. */
export const settleOnlyCodes = [
  "payer_spend_cap_reached",
  "payer_count_reached",
  "payer_paused",
  "payment_identifier_conflict",
  "settlement_pending",
  "already_settled",
  "authorization_canceled",
  "transaction_reverted",
  "transfer_not_found",
] as const satisfies RefusalCode[];
