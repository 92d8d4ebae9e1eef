/** Prices: within their bounds, and high enough to take a nonce's place. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  contractGasLimit,
  contractTransferGasMax,
  gasPriceOf,
  neededPrice,
  replacementPrice,
} from "./fees.ts";

const gwei = 1_000_000_000n;
const bounds = { floor: (25n * gwei) / 2n, ceiling: 100n * gwei };
const price = fc.bigInt({ min: 1n, max: 1_000n * gwei });

const viewAsking = (gasPrice: bigint, baseFee?: bigint) => ({ head: { baseFee }, gasPrice });

test("the node's price, never below the floor nor above the ceiling", () => {
  expect(gasPriceOf(undefined, bounds)).toBe(bounds.floor);
  expect(gasPriceOf(viewAsking(gwei), bounds)).toBe(bounds.floor);
  expect(gasPriceOf(viewAsking(20n * gwei), bounds)).toBe(20n * gwei);
  expect(gasPriceOf(viewAsking(500n * gwei), bounds)).toBe(bounds.ceiling);
});

test("the base fee is paid at least, and a suggestion is followed as far as it supports it", () => {
  const paid = (gasPrice: bigint, baseFee: bigint, ceiling = 1_250n * gwei) =>
    gasPriceOf(viewAsking(gasPrice, baseFee), { ...bounds, ceiling }) / gwei;
  // The base fee has multiplied before the node suggests more.
  expect(paid(13n * gwei, 625n * gwei)).toBe(625n);
  expect(paid(700n * gwei, 625n * gwei)).toBe(700n);
  expect(paid(5_000n * gwei, 625n * gwei)).toBe(781n);
  // A suggestion alone is followed to 100 gwei.
  expect(paid(5_000n * gwei, 13n * gwei)).toBe(100n);
  expect(paid(5_000n * gwei, 5_000n * gwei)).toBe(1_250n);
  expect(neededPrice(viewAsking(13n * gwei, 5_000n * gwei))).toBe(5_000n * gwei);
  expect(neededPrice(viewAsking(20n * gwei))).toBe(20n * gwei);
});

test("a replacement pays an eighth more than all before it, what is asked at least, or is none", () => {
  fc.assert(
    fc.property(fc.array(price, { maxLength: 5 }), price, price, (earlier, asked, ceiling) => {
      const price = replacementPrice(earlier, asked, ceiling);
      const highest = earlier.reduce((most, one) => (one > most ? one : most), 0n);
      const needed = (highest * 9n + 7n) / 8n;
      if (price === undefined) return needed > ceiling || asked > ceiling || highest >= ceiling;
      return price >= needed && price > highest && price >= asked && price <= ceiling;
    }),
  );
  expect(replacementPrice([16n * gwei], gwei, 100n * gwei)).toBe(18n * gwei + 1n);
  expect(replacementPrice([90n * gwei], gwei, 100n * gwei)).toBeUndefined();
});

test("a contract wallet's gas is what it needs and a fifth, up to a cap; more is refused", () => {
  expect(contractGasLimit(100_000n)).toBe(120_000n);
  expect(contractGasLimit(contractTransferGasMax)).toBe(contractTransferGasMax);
  expect(contractGasLimit(contractTransferGasMax + 1n)).toBeUndefined();
});
