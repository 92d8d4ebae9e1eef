import { refusal, type RefusalCode } from "@farthing/protocol";

const sentence = (code: RefusalCode): string => refusal(code).message;

/**
 * Refusals that a payer can act on, with the sentences of the protocol's table; of the others the
 * page shows the code.
 */
export const messagesForPayers = {
  unsupported_scheme: sentence("unsupported_scheme"),
  unsupported_transfer_method: sentence("unsupported_transfer_method"),
  unsupported_network: sentence("unsupported_network"),
  invalid_signature: sentence("invalid_signature"),
  wallet_not_deployed: sentence("wallet_not_deployed"),
  self_payment: sentence("self_payment"),
  authorization_expired: sentence("authorization_expired"),
  authorization_expires_too_soon: sentence("authorization_expires_too_soon"),
  authorization_not_yet_valid: sentence("authorization_not_yet_valid"),
  authorization_canceled: sentence("authorization_canceled"),
  nonce_already_used: sentence("nonce_already_used"),
  insufficient_funds: sentence("insufficient_funds"),
  token_paused: sentence("token_paused"),
  payer_blocked: sentence("payer_blocked"),
  payee_blocked: sentence("payee_blocked"),
  payer_spend_cap_reached: sentence("payer_spend_cap_reached"),
  payer_count_reached: sentence("payer_count_reached"),
  payer_paused: sentence("payer_paused"),
  settlement_pending: sentence("settlement_pending"),
  already_settled: sentence("already_settled"),
  transaction_reverted: sentence("transaction_reverted"),
};
