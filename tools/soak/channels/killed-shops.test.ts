/**
 * Sellers by channels that are killed at random moments and never come back: the facilitator's vault
 * claims all that they delivered, but for what they may deliver ahead of it.
 */
import { expect, test } from "vitest";
import { killShops } from "./channel-soak.ts";

/** Some are killed before the first voucher is passed on, some amid it, some long after it. */
const latestMs = 3_000;

test("all but a small bound of what a killed seller delivered is paid", async () => {
  const moments = [Math.random(), Math.random(), 1].map((part) => Math.round(part * latestMs));
  const { violations, uses, ledger } = await killShops(moments);
  expect(violations, `killed after ${moments.join(", ")} ms`).toEqual([]);
  expect(uses.every(({ delivered }) => delivered > 0n)).toBe(true);
  // The bound was not all that they sold.
  const most = uses.reduce((sum, { delivered }) => (delivered > sum ? delivered : sum), 0n);
  expect(most).toBeGreaterThan(uses[0]?.bound ?? 0n);
  expect(ledger.accounts).toHaveLength(moments.length);
});
