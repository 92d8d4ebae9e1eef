/** Who watches a payment learns why the same one is sent again. */
import { expect, test } from "vitest";
import { buyerBench } from "./buyer-bench.testing.ts";
import { receiptHeader, served, startSeller } from "./scripted-seller.testing.ts";

test("the event of a payment that is sent again says how long it waits, and what the seller said", async () => {
  const message = "The facilitator is away. \u001b[31m";
  await using seller = await startSeller({
    paid: [
      {
        status: 503,
        headers: { "Content-Type": "application/json", "Retry-After": "5" },
        body: JSON.stringify({ message }),
      },
      {
        status: 402,
        headers: receiptHeader({ success: false, errorReason: "settlement_pending" }),
      },
      served(),
    ],
  });
  const { pay, events } = buyerBench();
  await pay(seller.url, { payment: { requestId: "the-request" } });
  const requestId = "the-request";
  expect(events.filter(({ type }) => type === "resending")).toEqual([
    {
      type: "resending",
      requestId,
      waitSeconds: 5,
      state: "ambiguous",
      status: 503,
      reason: expect.stringContaining("The facilitator is away."),
    },
    expect.objectContaining({ requestId, waitSeconds: 2, state: "pending", status: 402 }),
  ]);
  const reasons = events.map((event) => (event.type === "resending" ? event.reason : undefined));
  expect(reasons.join("")).not.toContain("\u001b");
});
