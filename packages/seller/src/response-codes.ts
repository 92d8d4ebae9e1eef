/** Codes of the seller's own responses that evaluated no payment: their statuses, and what to do. */

interface ResponseMeaning {
  readonly statuses: readonly number[];
  /** Whether the same request with the same payment can succeed later; where it depends, the body says. */
  readonly retryable: boolean | "in the body";
  readonly meaning: string;
}

const meanings = {
  malformed_request: {
    statuses: [400],
    retryable: false,
    meaning: "The request can be read in two ways, or a header has no valid value.",
  },
  method_not_allowed: {
    statuses: [405],
    retryable: false,
    meaning: "The method is not sold; see Allow.",
  },
  address_too_long: {
    statuses: [414],
    retryable: false,
    meaning: "The address is too long to be named in a challenge; send a shorter query.",
  },
  ambiguous_payment: {
    statuses: [400],
    retryable: false,
    meaning: "The two payment headers hold two payments; send one.",
  },
  payment_header_too_large: {
    statuses: [431],
    retryable: false,
    meaning: "The payment header is too long.",
  },
  request_too_large: {
    statuses: [413],
    retryable: false,
    meaning: "The body is larger than the seller takes; nothing was charged.",
  },
  rate_limited: {
    statuses: [429],
    retryable: true,
    meaning: "This payer has asked too often; repeat after Retry-After.",
  },
  payment_bound_elsewhere: {
    statuses: [409],
    retryable: false,
    meaning: "The payment belongs to another request; repeat that one.",
  },
  payment_identifier_conflict: {
    statuses: [409],
    retryable: false,
    meaning: "The payment's identifier was used with another request; use a new identifier.",
  },
  idempotency_key_reused: {
    statuses: [409],
    retryable: false,
    meaning: "The Idempotency-Key was used for another request; use a new key.",
  },
  already_delivered: {
    statuses: [409],
    retryable: false,
    meaning: "The payment was used, and the response is no longer kept; pay for the next one.",
  },
  payment_refunded: {
    statuses: [409],
    retryable: false,
    meaning: "The seller has refunded the payment; a new request needs a new one.",
  },
  already_settled: {
    statuses: [409],
    retryable: false,
    meaning:
      "The payment moved money before, and nothing was served; show the receipt to the seller.",
  },
  outcome_unknown: {
    statuses: [409],
    retryable: false,
    meaning:
      "It is not known whether the payment moved money; look at the wallet before signing again.",
  },
  settlement_pending: {
    statuses: [503],
    retryable: true,
    meaning: "The transfer is under way; repeat with the same payment, and do not sign again.",
  },
  facilitator_unavailable: {
    statuses: [503],
    retryable: true,
    meaning: "The seller cannot reach its facilitator; repeat with the same payment.",
  },
  seller_account_problem: {
    statuses: [503],
    retryable: true,
    meaning:
      "The seller's account cannot settle; repeat with the same payment, or tell the seller.",
  },
  busy: {
    statuses: [503],
    retryable: true,
    meaning: "The same payment or balance is in use, or the seller's records failed; repeat.",
  },
  invalid_batch_settlement_evm_channel_busy: {
    statuses: [409],
    retryable: true,
    meaning: "Other requests of this channel are under way; repeat with the same voucher.",
  },
  not_charged: {
    statuses: [500, 502, 503, 504],
    retryable: "in the body",
    meaning: "The seller's service failed, and nothing was charged.",
  },
  paid_undelivered: {
    statuses: [403, 500, 502, 503, 504],
    retryable: "in the body",
    meaning:
      "The payment moved money, and the seller's service failed; repeat with the same payment.",
  },
} as const satisfies Readonly<Record<string, ResponseMeaning>>;

export type ResponseCode = keyof typeof meanings;

export const responseCodes: Readonly<Record<ResponseCode, ResponseMeaning>> = meanings;
