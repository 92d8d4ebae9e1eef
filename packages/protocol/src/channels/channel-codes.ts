/**
 * The refusals of the scheme `batch-settlement`. Their names on the wire are those of the published
 * packages, which clients compare; ours are the same without the prefix.
 */
const prefix = "invalid_batch_settlement_evm_";

/** The published names that concern transfers by EIP-3009, without their prefix. */
export const channelCodes = [
  "scheme",
  "network_mismatch",
  "payload_type",
  "missing_eip712_domain",
  "erc3009_authorization_required",
  "eip6492_factory_not_allowed",
  "smart_wallet_deployment_failed",
  "payload_authorization_valid_before",
  "payload_authorization_valid_after",
  "receive_authorization_signature",
  "channel_id_invalid",
  "channel_id_mismatch",
  "channel_not_found",
  "missing_channel",
  "token_mismatch",
  "receiver_mismatch",
  "receiver_authorizer_mismatch",
  "withdraw_delay_mismatch",
  "withdraw_delay_out_of_range",
  "authorizer_address_mismatch",
  "authorizer_not_configured",
  "voucher_signature",
  "cumulative_exceeds_balance",
  "cumulative_below_claimed",
  "cumulative_amount_mismatch",
  "charge_exceeds_signed_cumulative",
  "insufficient_balance",
  "deposit_below_min_deposit",
  "deposit_simulation_failed",
  "deposit_transaction_failed",
  "claim_simulation_failed",
  "claim_transaction_failed",
  "settle_simulation_failed",
  "settle_transaction_failed",
  "nothing_to_settle",
  "refund_payload",
  "refund_amount_invalid",
  "refund_no_balance",
  "refund_simulation_failed",
  "refund_transaction_failed",
  "channel_busy",
  "verification_state_unavailable",
  "rpc_read_failed",
] as const;

export type ChannelCode = (typeof channelCodes)[number];

/** Why a message about a channel was refused: a code, and a sentence that says what to change. */
export interface ChannelRefusal {
  readonly code: ChannelCode;
  readonly message: string;
}

export type ChannelOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: ChannelRefusal };

export function acceptChannel<T>(value: T) {
  return { ok: true, value } as const;
}

export function refuseChannel(code: ChannelCode, message: string) {
  return { ok: false, refusal: { code, message } } as const;
}

/** The code as messages carry it. */
export function wireChannelCode(code: ChannelCode): string {
  return `${prefix}${code}`;
}

/** Reads a code of a message; undefined for any other value. */
export function parseChannelCode(value: unknown): ChannelCode | undefined {
  if (typeof value !== "string" || !value.startsWith(prefix)) return undefined;
  return channelCodes.find((code) => code === value.slice(prefix.length));
}
