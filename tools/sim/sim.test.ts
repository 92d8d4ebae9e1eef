/**
 * Seeds that once showed a fault, and a few that stand for the kinds of trouble. More of them, and
 * new ones: `npm run sim -- --minutes 30`.
 */
import { afterAll, describe, expect, test } from "vitest";
import { createDatabases } from "./databases.ts";
import { drawPlan, type Wishes } from "./draw-plan.ts";
import { troubles } from "./plan.ts";
import { readService, readTroubles } from "./read-wishes.ts";
import { story } from "./report.ts";
import { run } from "./run.ts";
import kept from "./seeds.json" with { type: "json" };

/** A run takes six to ten seconds, on a machine that is busy twice that. */
const runMsMax = 60_000;

const databases = createDatabases();
afterAll(() => databases.stop());

async function play(seed: number, wishes: Wishes): Promise<void> {
  const report = await run(drawPlan(seed, wishes), databases);
  expect(report.violations.length === 0 ? "" : story(report)).toBe("");
}

describe("kept seeds", () => {
  test.each(kept)("seed $seed ($troubles): $showed", { timeout: runMsMax }, (entry) =>
    play(entry.seed, {
      troubles: readTroubles(entry.troubles),
      service: readService(entry.service),
    }),
  );
});

describe("some of everything", () => {
  test("without faults", { timeout: runMsMax }, () => play(4, { troubles: [] }));
  test("with all of them", { timeout: runMsMax }, () => play(226, { troubles }));
});

test("a seed gives the same plan each time, and another seed another one", () => {
  expect(drawPlan(17)).toEqual(drawPlan(17));
  expect(drawPlan(17).payments).not.toEqual(drawPlan(18).payments);
});

test("naming the troubles that a seed drew changes nothing", () => {
  const plan = drawPlan(17);
  expect(drawPlan(17, { troubles: plan.troubles, service: plan.service })).toEqual(plan);
});
