import { describe, expect, test } from "vitest";
import {
  changeText,
  daysLeftText,
  fractionDigits,
  plural,
  shortText,
  spanText,
  timeText,
  usdcText,
  utcText,
  xdcText,
} from "./format.ts";

describe("amounts of USDC", () => {
  test.each([
    ["0", "0.00"],
    ["1", "0.000001"],
    ["10000", "0.01"],
    ["1500000", "1.50"],
    ["1234567890000", "1,234,567.89"],
    ["12345678", "12.345678"],
    ["-2500", "-0.0025"],
    // More than a double can hold.
    ["9007199254740993000001", "9,007,199,254,740,993.000001"],
  ])("%s base units are %s", (units, text) => {
    expect(usdcText(units)).toBe(text);
  });
});

test.each([
  ["1250", "1000", "+25%"],
  ["960", "1000", "−4.0%"],
  ["1000", "1000", "±0%"],
  ["0", "1000", "−100%"],
  ["1000001", "1000000", "±0%"],
  ["5000", "1", "+499,900%"],
  ["5", "0", undefined],
])("%s after %s is a change of %s", (now, before, text) => {
  expect(changeText(now, before)).toBe(text);
});

test.each([
  [0.01, "less than an hour"],
  [0.5, "≈ 12 hours"],
  [1.99, "≈ 47 hours"],
  [2, "≈ 2 days"],
  [366, "more than a year"],
])("what lasts %d days lasts %s", (days, text) => {
  expect(daysLeftText(days)).toBe(text);
});

test.each([
  ["10000", 2],
  ["12345678", 6],
  ["-2500", 4],
])("%s base units have %i digits behind the point", (units, digits) => {
  expect(fractionDigits(units)).toBe(digits);
});

test.each([
  ["653887500000000", "0.000653 XDC"],
  ["1", "< 0.000001 XDC"],
  ["0", "0.000000 XDC"],
  ["12000000000000000000", "12.000000 XDC"],
])("%s wei are %s", (wei, text) => {
  expect(xdcText(wei)).toBe(text);
});

test.each([
  [40, "40 ms"],
  [1_400, "1.4 s"],
  [12_000, "12 s"],
  [90_000, "90 s"],
  [150_000, "3 min"],
  [3_600_000, "60 min"],
  [7_200_000, "2 h"],
  [172_800_000, "2 days"],
])("%d ms are %s", (spanMs, text) => {
  const from = "2026-11-20T10:00:00.000Z";
  expect(spanText(from, new Date(Date.parse(from) + spanMs).toISOString())).toBe(text);
});

test("times say the year when it is another one, and UTC to the second", () => {
  expect(timeText("2019-03-01T10:00:00.000Z")).toMatch(/2019/);
  expect(utcText("2026-11-20T13:05:31.400Z")).toBe("2026-11-20 13:05:31 UTC");
});

test("long values are shortened in the middle, short ones stay", () => {
  expect(shortText("0x209693Bc6afc0C5328bA36FaF03C514EF312287C")).toBe("0x2096…287C");
  expect(shortText("pur_1")).toBe("pur_1");
});

test("one is one", () => {
  expect([plural(1, "key"), plural(1_200, "key"), plural(0, "key")]).toEqual([
    "1 key",
    "1,200 keys",
    "0 keys",
  ]);
});
