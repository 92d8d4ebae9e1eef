/** The kit against a small honest facilitator, which passes, and against one with each fault. */
import { expect, test } from "vitest";
import { createHonestFacilitator } from "../subjects/honest-facilitator.testing.ts";
import { facilitatorFaults } from "../subjects/faults.testing.ts";
import { facilitatorCases } from "./facilitator-cases.ts";
import { runFacilitator } from "./run-facilitator.ts";

/** The honest one sees a block each second, and gives up a call after two. */
const limits = { answerMs: 3_500, endMs: 6_000 };
const callMs = { CALL_MS: "2000" };

/** Each case meets the fault that belongs to it: a harmful case starts the next subject. */
test("each planted fault fails its case", async () => {
  const cases = facilitatorCases.filter(({ name }) =>
    facilitatorFaults.some((one) => one === name),
  );
  const faults = cases.map(({ name }) => facilitatorFaults.find((one) => one === name));
  const results = await runFacilitator({
    start: (env) => createHonestFacilitator({ ...env, ...callMs }, faults.shift()),
    cases: cases.map((one) => ({ ...one, isHarmful: true })),
    limits,
  });
  const found = results.map(({ name, verdict }) => ({ name, verdict }));
  expect(found).toEqual(cases.map(({ name }) => ({ name, verdict: "fail" })));
  expect(cases.length).toBe(facilitatorCases.length);
});

test("an honest facilitator passes every case", async () => {
  const results = await runFacilitator({
    start: (env) => createHonestFacilitator({ ...env, ...callMs }),
    cases: facilitatorCases,
    limits,
  });
  const found = results.map(({ name, verdict, reason }) => ({ name, verdict, reason }));
  expect(found).toEqual(
    facilitatorCases.map(({ name }) => ({ name, verdict: "pass", reason: "" })),
  );
});
