import { expect, test } from "vitest";
import { errorCodeOf, errorCodes } from "./error-codes.ts";
import { accept, isRefusalCode, refusal, refusalCodes, refuse, x402ReasonOf } from "./refusals.ts";
import type { RefusalCode } from "./refusals.ts";

/** Our codes and the ecosystem's names for them, held here a second time on purpose. */
const names: readonly (readonly [RefusalCode, string])[] = [
  ["invalid_payload", "invalid_payload"],
  ["invalid_payment_requirements", "invalid_payment_requirements"],
  ["invalid_x402_version", "invalid_x402_version"],
  ["unsupported_scheme", "invalid_exact_evm_scheme"],
  ["unsupported_transfer_method", "unsupported_payload_type"],
  ["unsupported_network", "invalid_network"],
  ["network_mismatch", "invalid_exact_evm_network_mismatch"],
  ["asset_mismatch", "invalid_payment_requirements"],
  ["token_domain_mismatch", "invalid_exact_evm_token_name_mismatch"],
  ["invalid_signature", "invalid_exact_evm_signature"],
  ["wallet_not_deployed", "invalid_exact_evm_payload_undeployed_smart_wallet"],
  ["amount_mismatch", "invalid_exact_evm_payload_authorization_value_mismatch"],
  ["pay_to_mismatch", "invalid_exact_evm_recipient_mismatch"],
  ["self_payment", "self_send_not_allowed"],
  ["authorization_expired", "invalid_exact_evm_payload_authorization_valid_before"],
  ["authorization_expires_too_soon", "invalid_exact_evm_payload_authorization_valid_before"],
  ["authorization_not_yet_valid", "invalid_exact_evm_payload_authorization_valid_after"],
  ["nonce_already_used", "invalid_exact_evm_nonce_already_used"],
  ["insufficient_funds", "invalid_exact_evm_insufficient_balance"],
  ["token_paused", "invalid_exact_evm_transaction_simulation_failed"],
  ["payer_blocked", "invalid_exact_evm_transaction_simulation_failed"],
  ["payee_blocked", "invalid_exact_evm_transaction_simulation_failed"],
  ["simulation_failed", "invalid_exact_evm_transaction_simulation_failed"],
  // The ecosystem has no name for this one.
  ["payer_spend_cap_reached", "payer_spend_cap_reached"],
  ["payer_count_reached", "payer_count_reached"],
  ["address_not_served", "address_not_served"],
  ["amount_below_minimum", "amount_below_minimum"],
  ["payer_paused", "payer_paused"],
  ["payment_identifier_conflict", "payment_identifier_conflict"],
  ["settlement_pending", "settlement_pending"],
  ["already_settled", "duplicate_settlement"],
  ["authorization_canceled", "invalid_exact_evm_nonce_already_used"],
  ["transaction_reverted", "invalid_exact_evm_transaction_failed"],
  ["transfer_not_found", "invalid_exact_evm_transfer_event_mismatch"],
  // Of refunds, which only /v1/refunds answers.
  ["settlement_not_refundable", "settlement_not_refundable"],
  ["refund_mismatch", "refund_mismatch"],
  ["refund_exceeds_payment", "refund_exceeds_payment"],
  ["refund_limit_reached", "refund_limit_reached"],
  // Of a seller; the ecosystem has no names for these either.
  ["binding_mismatch", "binding_mismatch"],
  ["binding_required", "binding_required"],
];

test("the table is closed: these codes and no other", () => {
  expect([...refusalCodes].sort()).toEqual(names.map(([code]) => code).sort());
});

test.each(names)("%s is called %s elsewhere", (code, x402Reason) => {
  expect(x402ReasonOf(code)).toBe(x402Reason);
});

test.each(refusalCodes)("%s comes with a sentence", (code) => {
  const { message } = refusal(code);
  // A capital, or a name of the wire such as `authorization.value`; a full stop; more than a code.
  expect(message).toMatch(/^([A-Z]|x402Version|payTo|(authorization|extra)\.[a-zA-Z]+ )[^\n]+\.$/);
  expect(message.split(" ").length).toBeGreaterThan(3);
  expect(message).not.toContain(code);
});

test("a better sentence replaces the table's", () => {
  expect(refuse("asset_mismatch", "This is bridged USDC.e.")).toEqual({
    ok: false,
    refusal: { code: "asset_mismatch", message: "This is bridged USDC.e." },
  });
  expect(refuse("asset_mismatch").refusal).toEqual(refusal("asset_mismatch"));
  expect(accept(1)).toEqual({ ok: true, value: 1 });
});

test("codes are told from other texts", () => {
  expect(refusalCodes.every(isRefusalCode)).toBe(true);
  for (const value of [
    "",
    "toString",
    "__proto__",
    "invalid_scheme",
    null,
    1,
    ["asset_mismatch"],
  ]) {
    expect(isRefusalCode(value)).toBe(false);
  }
});

test("errors judge nothing: no code is both an error and a refusal", () => {
  expect(errorCodes.filter(isRefusalCode)).toEqual([]);
});

test("the code of an error body", () => {
  for (const error of errorCodes) expect(errorCodeOf({ error, message: "m" })).toBe(error);
  for (const body of [{ error: "x" }, { error: ["not_found"] }, {}, null, "not_found", []]) {
    expect(errorCodeOf(body)).toBeUndefined();
  }
  expect(errorCodeOf(Object.create({ error: "not_found" }) as unknown)).toBeUndefined();
});
