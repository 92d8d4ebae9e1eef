/** The kit against a small honest buyer, which passes, and against one with each fault. */
import { expect, test } from "vitest";
import { buyerFaults } from "../subjects/faults.testing.ts";
import { buyOnce } from "../subjects/honest-buyer.testing.ts";
import { buyerCases } from "./buyer-cases.ts";
import { runBuyer } from "./run-buyer.ts";

test("every case has a fault of its own", () => {
  expect([...buyerFaults].toSorted()).toEqual(buyerCases.map(({ name }) => name).toSorted());
});

test.each(buyerFaults)(
  "%s: fails its case and those that stand on it, and no other",
  async (fault) => {
    const results = await runBuyer({ run: (env) => buyOnce(env, fault), cases: buyerCases });
    const failed = results.filter(({ verdict }) => verdict === "fail").map(({ name }) => name);
    const expected = buyerCases.filter(
      ({ name, standsOn = [] }) => name === fault || standsOn.includes(fault),
    );
    expect(failed).toEqual(expected.map(({ name }) => name));
  },
);

test("an honest buyer passes every case", async () => {
  const results = await runBuyer({ run: (env) => buyOnce(env), cases: buyerCases });
  const found = results.map(({ name, verdict, reason }) => ({ name, verdict, reason }));
  expect(found).toEqual(buyerCases.map(({ name }) => ({ name, verdict: "pass", reason: "" })));
});
