/**
 * The closed table of refusals: why a payment was refused, or why its settlement did not succeed.
 * Refusals are returned, never thrown. `invalidReason` and `errorReason` carry the code.
 */
import { defined } from "../encoding/json.ts";

/** The default sentences; the code that refuses usually has a better one. */
const messages = {
  invalid_payload:
    "The payment payload is malformed; send the object that the x402 specification shows.",
  invalid_payment_requirements:
    "The payment requirements are malformed; send one entry of the challenge's accepts.",
  invalid_x402_version:
    "x402Version must be 1 or 2, and the same in the request and in the payload.",
  unsupported_scheme: "The scheme must be `exact`, or another one that /supported lists.",
  unsupported_transfer_method:
    "Only EIP-3009 transferWithAuthorization is supported; sign that instead.",
  unsupported_network: "This network is not served here; see /supported.",
  network_mismatch: "The payload and the requirements name different networks.",
  asset_mismatch: "The asset is not the USDC contract of this network.",
  token_domain_mismatch: "extra.name must be `USDC` and extra.version `2` on this network.",
  invalid_signature: "The signature does not belong to authorization.from; sign again.",
  wallet_not_deployed: "The paying smart wallet is not deployed; deploy it first.",
  amount_mismatch: "authorization.value must equal the required amount.",
  pay_to_mismatch: "authorization.to must equal payTo.",
  self_payment: "Payer and payee are the same address; pay from another one.",
  authorization_expired: "The authorization has expired; sign a new one.",
  authorization_expires_too_soon:
    "The authorization expires before it could be settled; sign one that lasts longer.",
  authorization_not_yet_valid:
    "The authorization is not valid yet; sign one with an earlier validAfter.",
  nonce_already_used:
    "This authorization is already used or in flight; a new payment needs a new nonce.",
  insufficient_funds: "The payer's USDC balance is below the amount.",
  token_paused: "USDC is paused by its issuer; try again later.",
  payer_blocked: "The payer is blocked by the issuer of USDC; pay from another address.",
  payee_blocked: "payTo is blocked by the issuer of USDC; the seller needs another address.",
  address_not_served: "This facilitator does not serve the payer or the payee of this payment.",
  simulation_failed: "The transfer would fail on chain.",
  payer_spend_cap_reached:
    "The payer has reached the spending cap of this facilitator; try again later.",
  payer_count_reached:
    "The payer has reached the number of payments per day that this facilitator settles without an API key; try again later.",
  amount_below_minimum:
    "The amount is below the minimum that this facilitator settles without an API key; ask for more, or use an API key.",
  payer_paused:
    "Transactions of the payer's contract wallet reverted although their simulation passed; pay from another address, or try again later.",
  payment_identifier_conflict:
    "The payment-identifier stands for another payment to this seller; repeat that one, or choose a new identifier.",
  settlement_pending:
    "The transfer is under way; ask again with the same payment, do not sign a new one.",
  already_settled:
    "The payment was settled before, and its success is reported only once; the transaction proves it.",
  authorization_canceled: "The payer canceled this authorization; sign a new one.",
  transaction_reverted: "The transaction was mined and reverted; no money moved.",
  binding_mismatch: "The payment is bound to another request; sign a new one for this request.",
  binding_required:
    "This seller accepts only bound payments: derive the nonce as the extension request-binding says.",
  settlement_not_refundable:
    "Only a confirmed and final payment can be refunded; ask again once the settlement is final.",
  refund_mismatch:
    "The refund must go from the payment's payee to its payer, with the nonce of the next refund.",
  refund_exceeds_payment:
    "The refund and the payment's other refunds would exceed the payment; sign a smaller amount.",
  refund_limit_reached: "The payment has as many refunds as one may have.",
  transfer_not_found: "The transaction succeeded without the expected transfer.",
} as const satisfies Record<string, string>;

/** Names of the x402 specification (section 9) and its reference implementation that differ. */
const x402Reasons: Partial<Record<RefusalCode, string>> = {
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
  simulation_failed: "invalid_exact_evm_transaction_simulation_failed",
  already_settled: "duplicate_settlement",
  authorization_canceled: "invalid_exact_evm_nonce_already_used",
  transaction_reverted: "invalid_exact_evm_transaction_failed",
  transfer_not_found: "invalid_exact_evm_transfer_event_mismatch",
};

export type RefusalCode = keyof typeof messages;

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /** The ecosystem's name, where it is finer than the code's own. */
  readonly x402Reason?: string;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

export const refusalCodes: RefusalCode[] = Object.keys(messages).filter(isRefusalCode);

export function isRefusalCode(value: unknown): value is RefusalCode {
  return typeof value === "string" && Object.hasOwn(messages, value);
}

/** The ecosystem's name for `extra.x402Reason`. */
export function x402ReasonOf(of: RefusalCode | Refusal): string {
  if (typeof of !== "string") return of.x402Reason ?? x402ReasonOf(of.code);
  return x402Reasons[of] ?? of;
}

/** Builds a refusal, with the table's sentence unless there is a better one. */
export function refusal(code: RefusalCode, message?: string, x402Reason?: string): Refusal {
  return { code, message: message ?? messages[code], ...defined({ x402Reason }) };
}

export function refuse(code: RefusalCode, message?: string, x402Reason?: string) {
  return { ok: false as const, refusal: refusal(code, message, x402Reason) };
}

export function accept<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}
