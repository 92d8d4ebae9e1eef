/** The smallest payment by its cost, and what stays good of what was told. */
import { expect, test } from "vitest";
import { systemClock } from "@farthing/engine/base";
import { createSmallestPayment, smallestSetting } from "./smallest-payment.ts";

const gwei = 1_000_000_000n;
const usdc = (perXdc: number) => BigInt(perXdc * 1_000_000) * 1_000_000n;
const minuteMs = 60_000;

test("auto: what a single payment costs and the margin, at least 0.001, and the last one without a price", () => {
  const now: { ms: number; wei: bigint | undefined; xdc: bigint | undefined } = {
    ms: 0,
    wei: undefined,
    xdc: usdc(0.05),
  };
  const smallest = createSmallestPayment({
    minAmount: smallestSetting("auto") ?? "auto",
    feeMarginPercent: 20,
    xdcPrice: { now: () => now.xdc },
    gasPriceWei: () => now.wei,
    clock: { ...systemClock, nowMs: () => now.ms },
  });
  expect(smallest.now()).toBe(1_000n);
  now.wei = (25n * gwei) / 2n;
  expect(smallest.now()).toBe(1_000n);
  // 0.05625 XDC are 0.0028125 USDC, rounded up, and a fifth more.
  now.wei = 625n * gwei;
  expect([smallest.now(), smallest.recent()]).toEqual([3_376n, 1_000n]);
  now.xdc = undefined;
  now.ms = 9 * minuteMs;
  expect([smallest.now(), smallest.recent()]).toEqual([3_376n, 1_000n]);
  now.ms = 10 * minuteMs;
  expect([smallest.now(), smallest.recent()]).toEqual([3_376n, 3_376n]);
});

test.each(["", "free", "12.5:free", "12.5:0.001,12.5:0.002", "1:0.001", "12.5:"])(
  "%j is no smallest payment",
  (text) => {
    expect(smallestSetting(text)).toBeUndefined();
  },
);
