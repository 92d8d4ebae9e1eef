/**
 * The closed table of refusals: every reason why a payment is judged and found wanting, or why its
 * settlement did not succeed. A refusal is a value; it is returned, never thrown.
 *
 * `code` is what `invalidReason` and `errorReason` carry. `x402Reason` is the ecosystem's name for
 * the same thing (x402 specification section 9 and the reference implementation), sent along in
 * `extra.x402Reason`. The message is the default sentence; who refuses usually says it better.
 */

const table = {
  invalid_payload: {
    x402Reason: "invalid_payload",
    message: "The payment payload is malformed; send the object that the x402 specification shows.",
  },
  invalid_payment_requirements: {
    x402Reason: "invalid_payment_requirements",
    message: "The payment requirements are malformed; send one entry of the challenge's accepts.",
  },
  invalid_x402_version: {
    x402Reason: "invalid_x402_version",
    message: "x402Version must be 1 or 2, and the same in the request and in the payload.",
  },
  unsupported_scheme: {
    x402Reason: "invalid_exact_evm_scheme",
    message: "Only the scheme `exact` is supported.",
  },
  unsupported_transfer_method: {
    x402Reason: "unsupported_payload_type",
    message: "Only EIP-3009 transferWithAuthorization is supported; sign that instead.",
  },
  unsupported_network: {
    x402Reason: "invalid_network",
    message: "This network is not served here; see /supported.",
  },
  network_mismatch: {
    x402Reason: "invalid_exact_evm_network_mismatch",
    message: "The payload and the requirements name different networks.",
  },
  asset_mismatch: {
    x402Reason: "invalid_payment_requirements",
    message: "The asset is not the USDC contract of this network.",
  },
  token_domain_mismatch: {
    x402Reason: "invalid_exact_evm_token_name_mismatch",
    message: "extra.name must be `USDC` and extra.version `2` on this network.",
  },
  invalid_signature: {
    x402Reason: "invalid_exact_evm_signature",
    message: "The signature does not belong to authorization.from; sign again.",
  },
  wallet_not_deployed: {
    x402Reason: "invalid_exact_evm_payload_undeployed_smart_wallet",
    message: "The paying smart wallet is not deployed; deploy it first.",
  },
  amount_mismatch: {
    x402Reason: "invalid_exact_evm_payload_authorization_value_mismatch",
    message: "authorization.value must equal the required amount.",
  },
  pay_to_mismatch: {
    x402Reason: "invalid_exact_evm_recipient_mismatch",
    message: "authorization.to must equal payTo.",
  },
  self_payment: {
    x402Reason: "self_send_not_allowed",
    message: "Payer and payee are the same address; pay from another one.",
  },
  authorization_expired: {
    x402Reason: "invalid_exact_evm_payload_authorization_valid_before",
    message: "The authorization has expired; sign a new one.",
  },
  authorization_expires_too_soon: {
    x402Reason: "invalid_exact_evm_payload_authorization_valid_before",
    message: "The authorization expires before it could be settled; sign one that lasts longer.",
  },
  authorization_not_yet_valid: {
    x402Reason: "invalid_exact_evm_payload_authorization_valid_after",
    message: "The authorization is not valid yet; sign one with an earlier validAfter.",
  },
  nonce_already_used: {
    x402Reason: "invalid_exact_evm_nonce_already_used",
    message: "This authorization is already used or in flight; a new payment needs a new nonce.",
  },
  insufficient_funds: {
    x402Reason: "invalid_exact_evm_insufficient_balance",
    message: "The payer's USDC balance is below the amount.",
  },
  token_paused: {
    x402Reason: "invalid_exact_evm_transaction_simulation_failed",
    message: "USDC is paused by its issuer; try again later.",
  },
  payer_blocked: {
    x402Reason: "invalid_exact_evm_transaction_simulation_failed",
    message: "The payer is blocked by the issuer of USDC; pay from another address.",
  },
  payee_blocked: {
    x402Reason: "invalid_exact_evm_transaction_simulation_failed",
    message: "payTo is blocked by the issuer of USDC; the seller needs another address.",
  },
  simulation_failed: {
    x402Reason: "invalid_exact_evm_transaction_simulation_failed",
    message: "The transfer would fail on chain.",
  },
  payer_spend_cap_reached: {
    x402Reason: "payer_spend_cap_reached",
    message: "The payer has reached the spending cap of this facilitator; try again later.",
  },
  payer_count_reached: {
    x402Reason: "payer_count_reached",
    message:
      "The payer has reached the number of payments per day that this facilitator settles without an API key; try again later.",
  },
  amount_below_minimum: {
    x402Reason: "amount_below_minimum",
    message:
      "The amount is below the minimum that this facilitator settles without an API key; ask for more, or use an API key.",
  },
  payer_paused: {
    x402Reason: "payer_paused",
    message:
      "Transactions of the payer's contract wallet reverted although their simulation passed; pay from another address, or try again later.",
  },
  payment_identifier_conflict: {
    x402Reason: "payment_identifier_conflict",
    message:
      "The payment-identifier stands for another payment to this seller; repeat that one, or choose a new identifier.",
  },
  settlement_pending: {
    x402Reason: "settlement_pending",
    message: "The transfer is under way; ask again with the same payment, do not sign a new one.",
  },
  already_settled: {
    x402Reason: "duplicate_settlement",
    message:
      "The payment was settled before, and its success is reported only once; the transaction proves it.",
  },
  authorization_canceled: {
    x402Reason: "invalid_exact_evm_nonce_already_used",
    message: "The payer canceled this authorization; sign a new one.",
  },
  transaction_reverted: {
    x402Reason: "invalid_exact_evm_transaction_failed",
    message: "The transaction was mined and reverted; no money moved.",
  },
  binding_mismatch: {
    x402Reason: "binding_mismatch",
    message: "The payment is bound to another request; sign a new one for this request.",
  },
  binding_required: {
    x402Reason: "binding_required",
    message:
      "This seller accepts only bound payments: derive the nonce as the extension request-binding says.",
  },
  transfer_not_found: {
    x402Reason: "invalid_exact_evm_transfer_event_mismatch",
    message: "The transaction succeeded without the expected transfer.",
  },
} as const satisfies Record<string, { x402Reason: string; message: string }>;

/** Every code that `invalidReason` and `errorReason` can carry. */
export type RefusalCode = keyof typeof table;

/** A judged "no": the stable code, and a sentence that says what to change. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /** The ecosystem's name, where it is finer than the code's own. */
  readonly x402Reason?: string;
}

/** Either a value or the reason why there is none. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

/** All codes, in the order of the table. */
export const refusalCodes: RefusalCode[] = Object.keys(table).filter(isRefusalCode);

/** Tells whether a text is one of the codes. */
export function isRefusalCode(value: unknown): value is RefusalCode {
  return typeof value === "string" && Object.hasOwn(table, value);
}

/** The ecosystem's name of a refusal, or of a code, for `extra.x402Reason`. */
export function x402ReasonOf(of: RefusalCode | Refusal): string {
  if (typeof of === "string") return table[of].x402Reason;
  return of.x402Reason ?? table[of.code].x402Reason;
}

/** A refusal; without a message it has the table's sentence. */
export function refusal(code: RefusalCode, message?: string, x402Reason?: string): Refusal {
  const finer = x402Reason === undefined ? {} : { x402Reason };
  return { code, message: message ?? table[code].message, ...finer };
}

/** A refusal as an outcome. */
export function refuse(
  code: RefusalCode,
  message?: string,
  x402Reason?: string,
): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: refusal(code, message, x402Reason) };
}

/** A value as an outcome. */
export function accept<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}
