/** Where a listing stands after checks, whatever they find, in whatever order. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  afterCheck,
  isPublic,
  listingStates,
  sumChecks,
  type CheckResult,
  type ListingCheck,
  type ListingDifference,
} from "./model.ts";

const hour = 60 * 60_000;
const day = 24 * hour;
const rhythm = { everyMs: hour, random: () => 0.5 };

const unchecked: ListingCheck = {
  state: "pending",
  checkedAt: null,
  triedAt: null,
  passedAt: null,
  nextAt: 0,
  failures: 0,
  reason: null,
  message: "",
  differences: [],
  days: null,
};

const nothing = { differences: [], seen: undefined };
const passed: CheckResult = { outcome: "passed", reason: null, message: "", ...nothing };
const failed: CheckResult = { outcome: "failed", reason: "not_found", message: "m", ...nothing };
const absent: CheckResult = { outcome: "absent", reason: "rate_limited", message: "m", ...nothing };
const differing = (field: ListingDifference["field"]): CheckResult => ({
  ...failed,
  reason: "terms_differ",
  differences: [{ field, advertised: "a", seen: "b" }],
});

test("who answers 429 is asked less often, and for more than a day has failed", () => {
  const live = afterCheck(unchecked, passed, 0, rhythm);
  const putOff = afterCheck(live, absent, day, rhythm);
  expect(putOff).toEqual({ ...live, triedAt: day, nextAt: day + hour });
  const failing = afterCheck(putOff, absent, day + 1, rhythm);
  expect([failing.state, failing.reason]).toEqual(["failing", "rate_limited"]);
});

test("counted checks are kept by day for thirty days, the others not at all", () => {
  let check = unchecked;
  for (const [at, result] of [
    [0, passed],
    [hour, passed],
    [2 * hour, absent],
    [day, failed],
    [29 * day, passed],
  ] as const) {
    check = afterCheck(check, result, at, rhythm);
  }
  expect(check.days).toEqual([
    { day: 0, passed: 2, failed: 0 },
    { day: 1, passed: 0, failed: 1 },
    { day: 29, passed: 1, failed: 0 },
  ]);
  expect(sumChecks(check)).toEqual({ passed: 3, all: 4 });
  const later = afterCheck(check, passed, 30 * day, rhythm);
  expect(later.days?.map((one) => one.day)).toEqual([1, 29, 30]);
});

/** The states after checks, one after the other, a minute apart. */
function statesAfter(...results: CheckResult[]): string[] {
  let check = unchecked;
  return results.map((result, index) => {
    check = afterCheck(check, result, (index + 1) * 60_000, rhythm);
    return `${check.state}${isPublic(check) ? " shown" : ""}`;
  });
}

describe("states", () => {
  test.each([
    [[passed], ["live shown"]],
    [[failed], ["failing"]],
    [
      [passed, failed, failed, failed, passed],
      ["live shown", "failing shown", "hidden", "hidden", "live shown"],
    ],
    [
      [passed, failed, passed, failed, failed],
      ["live shown", "failing shown", "live shown", "failing shown", "hidden"],
    ],
    [
      [passed, failed, absent, absent, failed],
      ["live shown", "failing shown", "failing shown", "failing shown", "hidden"],
    ],
    [
      [absent, absent, passed, absent],
      ["pending", "pending", "live shown", "live shown"],
    ],
    [
      [passed, differing("amount"), differing("asset")],
      ["live shown", "failing shown", "hidden"],
    ],
    [
      [passed, differing("payTo"), passed],
      ["live shown", "hidden", "live shown"],
    ],
    [[differing("payTo")], ["hidden"]],
  ])("case %#", (results, states) => expect(statesAfter(...results)).toEqual(states));
});

/** The pauses after checks, one after the other. */
function pausesOf(...results: CheckResult[]): number[] {
  let check = unchecked;
  return results.map((result) => {
    check = afterCheck(check, result, 0, rhythm);
    return check.nextAt;
  });
}

test("checks come hourly when live, soon after a failure, down to daily when hidden", () => {
  const pauses = pausesOf(passed, failed, ...Array.from({ length: 8 }, () => failed), absent);
  expect(pauses.slice(0, 4)).toEqual([hour, hour / 6, hour, 2 * hour]);
  expect(pauses.slice(-3)).toEqual([day, day, hour]);
});

const resultOf = fc.oneof(
  fc.constantFrom(passed, failed, absent),
  fc.constantFrom("payTo" as const, "amount" as const, "entry" as const).map(differing),
);

test("whatever comes: what could not run changes nothing, and the next check has its time", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...listingStates),
      fc.nat({ max: 100 }),
      resultOf,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 60_000, max: day }),
      (state, failures, result, dice, everyMs) => {
        const before = { ...unchecked, state, failures };
        const now = 1_000_000;
        const after = afterCheck(before, result, now, { everyMs, random: () => dice });
        const { triedAt, nextAt } = after;
        const isBlocked = state === "blocked";
        const isOpen = result.outcome === "absent";
        if (isBlocked) expect(after).toBe(before);
        else {
          expect(nextAt).toBeGreaterThan(now);
          expect(nextAt).toBeLessThanOrEqual(now + 1.11 * day);
        }
        if (isOpen && !isBlocked) expect(after).toEqual({ ...before, triedAt, nextAt });
        if (isOpen || isBlocked) return;
        expect(after.state === "live").toBe(result.outcome === "passed");
        expect(after.state === "live").toBe(after.failures === 0);
      },
    ),
  );
});
