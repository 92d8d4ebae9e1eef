/** Prices: within their bounds, and high enough to take a nonce's place. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { contractGasLimit, contractTransferGasMax, gasPriceOf, replacementPrice } from "./fees.ts";

const gwei = 1_000_000_000n;
const bounds = { floor: (25n * gwei) / 2n, ceiling: 100n * gwei };
const price = fc.bigInt({ min: 1n, max: 1_000n * gwei });

const viewAsking = (gasPrice: bigint) => ({
  head: { number: 1, hash: "0x00" as const, parentHash: "0x00" as const, time: 0n },
  finalized: { number: 0, time: 0n },
  gasPrice,
  wallets: new Map(),
  seenSecondsAgo: 0,
  walkedTo: 1,
});

test("the node's price, never below the floor nor above the ceiling", () => {
  expect(gasPriceOf(undefined, bounds)).toBe(bounds.floor);
  expect(gasPriceOf(viewAsking(gwei), bounds)).toBe(bounds.floor);
  expect(gasPriceOf(viewAsking(20n * gwei), bounds)).toBe(20n * gwei);
  expect(gasPriceOf(viewAsking(500n * gwei), bounds)).toBe(bounds.ceiling);
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
