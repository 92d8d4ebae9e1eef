/** The counts of payers: how many requests at once, how many later, and how many payers. */
import { expect, test } from "vitest";
import { ConfigurationError } from "./configuration.ts";
import { createPayerCounts, parseRateLimit } from "./rate-limit.ts";

const [ann, ben, eve] = ["0xAA", "0xBB", "0xEE"];

test("a payer can make as many requests at once as in a minute, and then one at a time", () => {
  const { take } = createPayerCounts();
  const at = (...times: number[]) => times.map((nowMs) => take(ann, 3, nowMs));
  expect(at(0, 0, 0, 0)).toEqual([0, 0, 0, 20_000]);
  expect(at(1, 19_999, 20_000, 20_000)).toEqual([19_999, 1, 0, 20_000]);
  // However long a payer waits, no more than a minute is earned; a clock that is set back earns none.
  expect(at(1e9, 1e9, 1e9, 1e9, 0)).toEqual([0, 0, 0, 20_000, 20_000]);
});

test("after the wait that was told a request can be made, whatever the limit", () => {
  for (const perMinute of [1, 7, 11, 13, 59, 60, 61, 59_999, 60_000]) {
    const { take } = createPayerCounts();
    let nowMs = 0;
    for (let nth = 0; nth < perMinute; nth++) expect(take(ann, perMinute, nowMs)).toBe(0);
    for (let nth = 0; nth < 20; nth++) {
      const waitMs = take(ann, perMinute, nowMs);
      expect(waitMs).toBeGreaterThan(0);
      nowMs += waitMs;
      expect(take(ann, perMinute, nowMs)).toBe(0);
      while (take(ann, perMinute, nowMs) === 0);
    }
  }
});

test("an address counts once, however it is written, and under a limit that has changed", () => {
  const { take } = createPayerCounts();
  expect(take(ann, 1, 0)).toBe(0);
  expect(take(ann.toLowerCase(), 1, 0)).toBe(60_000);
  expect(take(ann, 60, 1_000)).toBe(0);
  expect(take(ann, 60, 1_000)).toBe(1_000);
});

test("beyond the memory the payer that was unseen for the longest time is forgotten", () => {
  const { take } = createPayerCounts({ max: 2 });
  expect([ann, ben, ann, eve].map((who) => take(who, 1, 0))).toEqual([0, 0, 60_000, 0]);
  expect([ann, ben].map((who) => take(who, 1, 0))).toEqual([60_000, 0]);
});

test("the option is checked", () => {
  expect(parseRateLimit(undefined)).toBeUndefined();
  expect(parseRateLimit({ perPayer: 60 })?.perPayer).toBe(60);
  for (const perPayer of [0, 1.5, 60_001, NaN]) {
    expect(() => parseRateLimit({ perPayer })).toThrow(ConfigurationError);
    expect(() => parseRateLimit({ perPayer })).toThrow(/rateLimit\.perPayer must be a whole/);
  }
});
