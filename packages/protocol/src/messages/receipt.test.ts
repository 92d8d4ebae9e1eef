import { decodePaymentResponseHeader } from "@x402/core/http";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { settleResponse } from "./arbitraries.testing.ts";
import { parseSettleResponse, type SettleResponse } from "./facilitator-messages.ts";
import { encodeHeader } from "../encoding/headers.ts";
import { readReceipt, receiptHeaders } from "./receipt.ts";
import { asJson, confirmedReceipt, pendingReceipt } from "./wire-examples.testing.ts";

const confirmed: SettleResponse = JSON.parse(confirmedReceipt);
const pending: SettleResponse = JSON.parse(pendingReceipt);

test("both headers carry the same value, under both versions' names", () => {
  const value = Buffer.from(confirmedReceipt).toString("base64");
  expect(receiptHeaders(confirmed)).toEqual({
    "PAYMENT-RESPONSE": value,
    "X-PAYMENT-RESPONSE": value,
  });
});

test.each([confirmed, pending])("a captured receipt is read back whole: %o", (receipt) => {
  expect(readReceipt(new Headers(receiptHeaders(receipt)))).toEqual(receipt);
});

test("stock clients of both versions read what we write, and so do we", () => {
  fc.assert(
    fc.property(settleResponse, (receipt) => {
      const headers = receiptHeaders(receipt);
      const plain = asJson(receipt);
      expect(decodePaymentResponseHeader(headers["PAYMENT-RESPONSE"] ?? "")).toEqual(plain);
      expect(JSON.parse(atob(headers["X-PAYMENT-RESPONSE"] ?? ""))).toEqual(plain);
      expect(readReceipt(new Headers(headers))).toEqual(plain);
    }),
  );
});

const read = (init: Record<string, string>) => readReceipt(new Headers(init));

test("the first that can be read counts", () => {
  const one = encodeHeader(confirmed);
  const two = encodeHeader(pending);
  expect(read({ "payment-response": one, "x-payment-response": two })).toEqual(confirmed);
  expect(read({ "x-payment-response": two })).toEqual(pending);
  expect(read({ "payment-response": "junk!", "x-payment-response": two })).toEqual(pending);
  expect(read({ "payment-response": encodeHeader({}), "x-payment-response": two })).toEqual(
    pending,
  );
});

test.each(["", "junk!", encodeHeader(null), encodeHeader({ success: true })])(
  "no receipt: %j",
  (text) => {
    expect(readReceipt(new Headers({ "payment-response": text }))).toBeUndefined();
  },
);

test("a receipt sent twice is none", () => {
  const headers = new Headers();
  headers.append("payment-response", encodeHeader(confirmed));
  headers.append("payment-response", encodeHeader(pending));
  expect(readReceipt(headers)).toBeUndefined();
});

test("no header, no receipt", () => {
  expect(readReceipt(new Headers())).toBeUndefined();
});

test("what only the seller may see stays out of a receipt that was read from a facilitator", () => {
  const answer = { ...confirmed, extensionResponses: { bazaar: { status: "success" } } };
  expect(parseSettleResponse(answer)).toEqual(confirmed);
});
