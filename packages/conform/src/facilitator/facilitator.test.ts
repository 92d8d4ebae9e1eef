/** The kit against a small honest facilitator, which passes, and against one with each fault. */
import { expect, test } from "vitest";
import { createHonestFacilitator } from "../subjects/honest-facilitator.testing.ts";
import type { FacilitatorFault } from "../subjects/faults.testing.ts";
import { facilitatorCases } from "./facilitator-cases.ts";
import { runFacilitator } from "./run-facilitator.ts";

const verdicts = async (names: readonly string[], fault?: FacilitatorFault) => {
  const results = await runFacilitator({
    start: (env) => createHonestFacilitator(env, fault),
    cases: facilitatorCases.filter(({ name }) => names.includes(name)),
  });
  return results.map(({ name, verdict, reason }) => ({ name, verdict, reason }));
};

test("an honest facilitator passes every case", async () => {
  const all = facilitatorCases.map(({ name }) => name);
  const found = await verdicts(all);
  expect(found).toEqual(all.map((name) => ({ name, verdict: "pass", reason: "" })));
});

test("a transaction for each call is found", async () => {
  const found = await verdicts(["equal-calls-at-once"], "equal-calls-at-once");
  expect(found).toMatchObject([
    { verdict: "fail", reason: expect.stringMatching(/carried the one/) },
  ]);
});
