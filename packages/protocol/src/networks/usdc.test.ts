import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatUsdc, parseUsdc, priceUsdc } from "./usdc.ts";

test.each([
  ["0.01", 10_000n],
  ["$0.01", 10_000n],
  [" $1 ", 1_000_000n],
  ["0.000001", 1n],
  ["1.5", 1_500_000n],
  ["007.10", 7_100_000n],
  ["0", 0n],
  // Floats would make 1.1 * 10^6 of this 1100000.0000000002, and lose the last digit of the next.
  ["1.1", 1_100_000n],
  ["9007199254740993.000001", 9_007_199_254_740_993_000_001n],
])("%j is %s base units", (text, units) => {
  expect(parseUsdc(text)).toBe(units);
});

test.each(
  ["", ".", "1.", ".5", "1,5", "1e3", "1E-2", "0x10", "-1", "+1", "$", "$$1", "1 USDC", "Infinity"]
    .concat(["NaN", "0.0000001", "1.0000000", "١", "1_000", "9".repeat(72)])
    .map((text) => [text]),
)("%j is no amount", (text) => {
  expect(parseUsdc(text)).toBeUndefined();
});

test.each([[0.01], [1], [1n], [null], [undefined], [{}], [["1"]], [Symbol("1")]])(
  "%o is no text, so no amount",
  (value) => {
    expect(parseUsdc(value)).toBeUndefined();
  },
);

test("writing and reading are inverse", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 77n - 1n }), (units) => {
      const text = formatUsdc(units);
      expect(text).toMatch(/^\d+\.\d{6}$/);
      expect(parseUsdc(text)).toBe(units);
      expect(parseUsdc(`$${text}`)).toBe(units);
    }),
  );
});

test("reading never gives more than the token can count", () => {
  expect(parseUsdc(`${"9".repeat(71)}.999999`)).toBeLessThan(1n << 256n);
});

test("negative amounts are shown, for balances and differences", () => {
  expect(formatUsdc(-10_000n)).toBe("-0.010000");
  expect(formatUsdc(-1n)).toBe("-0.000001");
  expect(formatUsdc(0n)).toBe("0.000000");
});

test("prices have two decimals, and more where they matter", () => {
  const texts = [10_000n, 1_000_000n, 500n, 1_234_567n].map(priceUsdc);
  expect(texts).toEqual(["0.01", "1.00", "0.0005", "1.234567"]);
});
