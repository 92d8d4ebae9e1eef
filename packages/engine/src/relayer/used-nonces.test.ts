/** When a used nonce is closed: not before nothing at it can come back. */
import { expect, test } from "vitest";
import { usedNonceStep } from "./used-nonces.ts";

const blocks = { head: 10, finalized: 7 };

test.each([
  ["of a block that was not read yet", 11, { payments: 0, carried: 0 }, "wait"],
  ["a call without payments, at once", 10, { payments: 0, carried: 0 }, "close"],
  [
    "a cancellation, while its payments have their outcome elsewhere",
    10,
    { payments: 1, carried: 0 },
    "wait",
  ],
  ["a payment without a log, while its block can vanish", 8, { payments: 1, carried: 1 }, "wait"],
  ["a payment without a log, in a final block", 7, { payments: 1, carried: 1 }, "resolve"],
  ["a cancellation in a final block", 7, { payments: 2, carried: 0 }, "close"],
] as const)("%s", (_, blockNumber, open, step) => {
  expect(usedNonceStep(blockNumber, open, blocks)).toBe(step);
});
