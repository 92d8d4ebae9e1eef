/** What `pay` says of a payment, in a line that people read. */
import { expect, test } from "vitest";
import { paymentText } from "./payment-report.ts";

test.each([
  [1, "opened by a pass, 1 use left\n"],
  [3, "opened by a pass, 3 uses left\n"],
  [undefined, "opened by a pass\n"],
])("a pass with %s uses", (remaining, text) => {
  const pass = { expiresAt: "2027-01-15T08:00:00.000Z", ...(remaining && { remaining }) };
  const status = new Response(null, { statusText: "OK" });
  expect(paymentText({ state: "not_required", requestId: "req_1", pass }, status)).toBe(text);
});

const settled = {
  state: "settled",
  requestId: "req_1",
  amount: "50000",
  amountUsdc: "0.050000",
  asset: "0x2222222222222222222222222222222222222222",
  payer: "0x3333333333333333333333333333333333333333",
  version: 2,
  nonce: `0x${"44".repeat(32)}`,
  payTo: "0x1111111111111111111111111111111111111111",
  network: "eip155:50",
  authorizationExpiresAt: "2027-01-15T08:00:00.000Z",
} as const;

test.each([
  [
    { "X-Pass-Remaining": "9", "X-Pass-Expires": "2027-01-15T08:00:00.000Z" },
    "  it bought a pass, 9 uses left, until 2027-01-15T08:00:00.000Z: the next calls need no payment\n",
  ],
  [
    { "X-Balance-Remaining": "45000", "X-Request-Cost": "5000" },
    "  it topped up a balance: this call cost 0.005 USDC, 0.045 USDC left for the next calls\n",
  ],
])("a payment that buys later calls says so: %j", (headers, text) => {
  const response = new Response(null, { headers: { "PAYMENT-PASS": "p".repeat(32), ...headers } });
  expect(paymentText(settled, response)).toBe(
    `payment settled: 0.05 USDC to ${settled.payTo} on eip155:50\n${text}`,
  );
});
