/** The kit against a small honest facilitator, which passes, and against one with each fault. */
import { expect, test } from "vitest";
import type { ConformCase } from "../run/conform-case.ts";
import { facilitatorFaults } from "../subjects/faults.testing.ts";
import { createHonestFacilitator } from "../subjects/honest-facilitator.testing.ts";
import { failingCases, inLanes } from "../subjects/planted-faults.testing.ts";
import { chainEventCases } from "./chain-events.ts";
import { equalCallCases } from "./equal-calls.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { facilitatorCases } from "./facilitator-cases.ts";
import { lostAnswerCases } from "./lost-answers.ts";
import { messageCases } from "./messages.ts";
import { nodeFaultCases } from "./node-faults.ts";
import { facilitatorRefusalCases } from "./refusals.ts";
import { runFacilitator } from "./run-facilitator.ts";
import { termsCases } from "./terms.ts";

/**
 * The honest one looks five times a second, sees a block each second, and gives up a call after eight,
 * so that a busy machine may take eight times as long.
 */
const limits = { answerMs: 10_000, endMs: 15_000, noticeMs: 600 };
const callMs = { CALL_MS: "8000" };

const files: readonly (readonly ConformCase<FacilitatorBench>[])[] = [
  [...messageCases, ...facilitatorRefusalCases],
  [...equalCallCases, ...termsCases],
  lostAnswerCases,
  nodeFaultCases,
  chainEventCases,
];

/** Whether each fault meets every case, in minutes: `npm run conform -- --faults`. */
const isWhole = process.env["CONFORM_FAULTS"] === "all";
const wholeMs = 30 * 60_000;

/** What a fault may fail by mistake: the cases near its own, and those that stand on it. */
function casesFor(fault: string): readonly ConformCase<FacilitatorBench>[] {
  if (isWhole) return facilitatorCases;
  const near = files.find((cases) => cases.some(({ name }) => name === fault)) ?? [];
  return [...new Set([...near, ...failingCases(facilitatorCases, fault)])];
}

/** Chains beside each other: most of the time is waiting for their blocks. */
const lanes = 4;

test("every case has a fault of its own", () => {
  const names = facilitatorCases.map(({ name }) => name);
  expect([...facilitatorFaults].toSorted()).toEqual(names.toSorted());
  expect(
    files
      .flat()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(names.toSorted());
});

test(
  "each planted fault fails its case and those that stand on it, and no other",
  async () => {
    const found = await inLanes(facilitatorFaults, lanes, async (fault) => {
      const results = await runFacilitator({
        start: (env) => createHonestFacilitator({ ...env, ...callMs }, fault),
        cases: casesFor(fault),
        limits,
      });
      const failed = results.filter(({ verdict }) => verdict === "fail");
      return failed.map(({ name, reason }) => ({ name, reason }));
    });
    const expected = facilitatorFaults.map((fault) => [
      fault,
      failingCases(facilitatorCases, fault).map(({ name }) => ({
        name,
        reason: expect.any(String),
      })),
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  },
  ...(isWhole ? [wholeMs] : []),
);

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
