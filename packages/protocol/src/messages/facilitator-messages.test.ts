import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { settleResponse } from "./arbitraries.testing.ts";
import {
  isTransactionHash,
  parseSettleResponse,
  parseVerifyResponse,
  statusOf,
  type SettleResponse,
} from "./facilitator-messages.ts";
import { findNetworkOf } from "../networks/networks.ts";
import {
  asJson,
  confirmedReceipt,
  failedSettlement,
  invalidVerdict,
  json,
  listIn,
  pendingReceipt,
  supported,
  validVerdict,
} from "./wire-examples.testing.ts";

test.each([validVerdict, invalidVerdict])("the verdict %s is read whole", (text) => {
  expect(parseVerifyResponse(json(text))).toEqual(json(text));
});

test.each([confirmedReceipt, pendingReceipt, failedSettlement])("%s is read whole", (text) => {
  expect(parseSettleResponse(json(text))).toEqual(json(text));
});

test("every kind that stock software lists is a network of ours, by its version's name", () => {
  const kinds = listIn(json(supported), "kinds");
  expect(
    kinds.map((kind) => findNetworkOf(kind["x402Version"] === 1 ? 1 : 2, kind["network"])?.chainId),
  ).toEqual([50, 51, 50, 51]);
});

test("null counts as absent, unknown keys are dropped", () => {
  const absent = { invalidReason: null, invalidMessage: null, payer: null };
  expect(
    parseVerifyResponse({ isValid: true, ...absent, extra: null, extensions: null, more: 1 }),
  ).toEqual({ isValid: true });
  const settled = { success: true, transaction: "", network: "xdc" };
  const none = { payer: null, errorReason: null, errorMessage: null, amount: null, id: null };
  expect(
    parseSettleResponse({ ...settled, ...none, extra: null, extensions: null, status: null }),
  ).toEqual(settled);
});

test("extra and extensions reach the seller", () => {
  const more = { extra: { settlementId: "s_1" }, extensions: { bazaar: {} } };
  expect(parseVerifyResponse({ isValid: false, ...more })).toEqual({ isValid: false, ...more });
});

test.each([
  [{ isValid: "true" }],
  [{ isValid: null }],
  [{}],
  [null],
  [[]],
  ["true"],
  [{ success: true, transaction: "0x", network: "xdc" }],
])("%o is no verdict", (input) => {
  expect(parseVerifyResponse(input)).toBeUndefined();
});

test.each([
  [{ success: true, network: "xdc" }],
  [{ success: true, transaction: null, network: "xdc" }],
  [{ success: true, transaction: "" }],
  [{ success: 1, transaction: "", network: "xdc" }],
  [{ isValid: true }],
  [null],
  [[]],
])("%o is no settle answer", (input) => {
  expect(parseSettleResponse(input)).toBeUndefined();
});

test("what is read means what was sent", () => {
  fc.assert(
    fc.property(settleResponse, (response) => {
      const sent = asJson(response);
      expect(parseSettleResponse(sent)).toEqual(sent);
    }),
  );
});

const stands = (change: Partial<SettleResponse>) =>
  statusOf({ success: false, transaction: "", network: "eip155:50", ...change });

describe("where a settle answer stands", () => {
  test.each<[string, Partial<SettleResponse>]>([
    ["success", { success: true }],
    ["success, and its status", { success: true, status: "confirmed" }],
  ])("confirmed: %s", (_name, change) => {
    expect(stands(change)).toBe("confirmed");
  });

  test.each<[string, Partial<SettleResponse>]>([
    ["a refusal", { errorReason: "nonce_already_used" }],
    ["a stock refusal", { errorReason: "invalid_exact_evm_nonce_already_used" }],
    ["a refusal, and its status", { errorReason: "amount_mismatch", status: "failed" }],
    ["status alone", { status: "failed" }],
  ])("failed: %s", (_name, change) => {
    expect(stands(change)).toBe("failed");
  });

  test.each<[string, Partial<SettleResponse>]>([
    ["settlement_pending", { errorReason: "settlement_pending" }],
    [
      "settlement_pending against its status",
      { errorReason: "settlement_pending", status: "failed" },
    ],
    ["settlement_pending against success", { errorReason: "settlement_pending", success: true }],
    ["status pending", { status: "pending" }],
    ["status pending against success", { status: "pending", success: true }],
    ["status pending with another reason", { status: "pending", errorReason: "amount_mismatch" }],
    ["status confirmed against no success", { status: "confirmed" }],
    ["success against status failed", { success: true, status: "failed" }],
    ["no reason at all", {}],
    ["a fault of ours", { errorReason: "service_unavailable" }],
    ["a fault of stock software", { errorReason: "unexpected_settle_error" }],
    ["a hosted time-out", { errorReason: "settle_exact_evm_transaction_confirmation_timed_out" }],
    ["an exception's text", { errorReason: "Timed out while waiting for transaction 0xab" }],
    ["an empty reason", { errorReason: "" }],
  ])("pending: %s", (_name, change) => {
    expect(stands(change)).toBe("pending");
  });

  test("a contradiction is never confirmed and never failed", () => {
    fc.assert(
      fc.property(settleResponse, (response) => {
        const status = statusOf(response);
        if (status === "confirmed") {
          expect(response.success).toBe(true);
          expect(response.status ?? "confirmed").toBe("confirmed");
        }
        if (status === "failed") {
          expect(response.success).toBe(false);
          expect(response.status ?? "failed").toBe("failed");
        }
      }),
    );
  });
});

test("a transaction hash is 0x and 32 bytes", () => {
  expect(isTransactionHash(`0x${"aB".repeat(32)}`)).toBe(true);
  for (const text of [
    "",
    "0x",
    "ab".repeat(32),
    `0x${"ab".repeat(31)}`,
    `0x${"ab".repeat(32)}\n`,
  ]) {
    expect(isTransactionHash(text)).toBe(false);
  }
});
