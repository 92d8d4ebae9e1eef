/** Reasons of the honest facilitator that several of its parts know. */

/** The payment's time has passed. */
export const expired = "invalid_exact_evm_payload_authorization_valid_before";
