/** What a payee may sign to refund a payment, from what the facilitator says of it. */
import { expect, test } from "vitest";
import { maxRefunds } from "./refund.ts";
import { parseRefundable, refundProblem } from "./refundable.ts";

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

const settlement = {
  refundOf: null,
  network: "eip155:50",
  payer: `0x${"44".repeat(20)}`,
  payTo,
  amount: "10000",
  refundedAmount: "4000",
  minRefundAmount: "1000",
  refunds: [{ ordinal: 0, id: "stl_1", state: "confirmed", amount: "4000", transaction: "0x1" }],
  finalizedAt: "2026-01-01T00:00:00Z",
  extra: { nonce: `0x${"05".repeat(32)}` },
};

function codeOf(change: object, amount: bigint, signer: `0x${string}` = payTo) {
  const payment = parseRefundable({ ...settlement, ...change });
  return payment ? refundProblem(payment, amount, signer)?.code : "unreadable";
}

test("a part or the rest of a final payment goes back, by the payee's wallet", () => {
  expect([codeOf({}, 1_000n), codeOf({}, 6_000n)]).toEqual([undefined, undefined]);
  expect(codeOf({}, 1_000n, `0x${"44".repeat(20)}`)).toBe("refund_mismatch");
  expect([codeOf({}, 0n), codeOf({}, 6_001n)]).toEqual(Array(2).fill("refund_exceeds_payment"));
  expect(codeOf({ finalizedAt: null }, 1_000n)).toBe("settlement_not_refundable");
});

test("a payment has as many refunds as there may be, and no more", () => {
  const [first] = settlement.refunds;
  const made = (count: number) =>
    Array.from({ length: count }, (_one, ordinal) => ({ ...first, ordinal }));
  expect(codeOf({ refunds: made(maxRefunds - 1) }, 1_000n)).toBeUndefined();
  expect(codeOf({ refunds: made(maxRefunds) }, 1_000n)).toBe("refund_limit_reached");
});

test("a refund that is open keeps its number, and one that has failed is signed again with its own", () => {
  const [first] = settlement.refunds;
  const next = (state: string) =>
    parseRefundable({ ...settlement, refunds: [{ ...first, state }] })?.ordinal;
  expect(["pending", "confirmed", "failed"].map(next)).toEqual([1, 1, 0]);
});

test("less than the facilitator's minimum goes back only where it is all that is left", () => {
  expect(codeOf({}, 999n)).toBe("amount_below_minimum");
  expect(codeOf({ refundedAmount: "9001" }, 999n)).toBeUndefined();
});

test("a refund is no payment, and no payment has more refunded than was paid", () => {
  expect(codeOf({ refundOf: "stl_1" }, 1_000n)).toBe("unreadable");
  expect(codeOf({ refundedAmount: "10001" }, 1n)).toBe("unreadable");
});
