/** What the wallets spend, and how long they last. */
import { expect, test } from "vitest";
import { createGasSpending } from "../../src/operations/gas-spending.ts";

const xdc = 10n ** 18n;
const hourMs = 3_600_000;

const balances = (first: bigint, second = 0n) =>
  new Map([
    ["0xa", first],
    ["0xb", second],
  ]);

test("a fall of a balance is spent; a rise, and the first look, are not", () => {
  const spending = createGasSpending();
  const looks = [
    balances(10n * xdc, 5n * xdc),
    balances(9n * xdc, 5n * xdc),
    balances(19n * xdc, 4n * xdc),
    balances(19n * xdc, 4n * xdc),
  ];
  const spent = looks.map((look, index) => Object.fromEntries(spending.note(index, look)));
  expect(spent).toEqual([
    { "0xa": 0n, "0xb": 0n },
    { "0xa": xdc, "0xb": 0n },
    { "0xa": 0n, "0xb": xdc },
    { "0xa": 0n, "0xb": 0n },
  ]);
});

test("the runway is that of the whole pool at the rate of what was seen, from an hour on", () => {
  const spending = createGasSpending();
  spending.note(0, balances(20n * xdc, 10n * xdc));
  spending.note(hourMs / 2, balances(19n * xdc, 10n * xdc));
  expect(spending.runwayDays()).toBeUndefined();
  spending.note(hourMs, balances(18n * xdc, 10n * xdc));
  // 28 XDC at 2 XDC an hour.
  expect(spending.runwayDays()).toBeCloseTo(14 / 24);
});

test("what is older than a day does not count any more", () => {
  const spending = createGasSpending();
  spending.note(0, balances(100n * xdc));
  spending.note(hourMs, balances(50n * xdc));
  for (let hour = 2; hour <= 30; hour++)
    spending.note(hour * hourMs, balances(50n * xdc - BigInt(hour)));
  expect(spending.runwayDays()).toBeGreaterThan(1e15);
});

test("a pool that spends nothing has no runway to tell", () => {
  const spending = createGasSpending();
  for (const hour of [0, 1, 2]) spending.note(hour * hourMs, balances(xdc));
  expect(spending.runwayDays()).toBeUndefined();
});
