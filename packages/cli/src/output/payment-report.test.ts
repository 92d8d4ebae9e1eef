/** What `pay` says of a payment, in a line that people read. */
import { expect, test } from "vitest";
import { paymentText } from "./payment-report.ts";

test.each([
  [1, "opened by a pass, 1 use left\n"],
  [3, "opened by a pass, 3 uses left\n"],
  [undefined, "opened by a pass\n"],
])("a pass with %s uses", (remaining, text) => {
  const pass = { expiresAt: "2027-01-15T08:00:00.000Z", ...(remaining && { remaining }) };
  const status = { status: 200, statusText: "OK" };
  expect(paymentText({ state: "not_required", requestId: "req_1", pass }, status)).toBe(text);
});
