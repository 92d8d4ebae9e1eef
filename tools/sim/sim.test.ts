/**
 * Seeds that once showed a fault, and runs in which every kind of trouble comes. More of them, and
 * new ones: `npm run sim -- --minutes 30`.
 */
import { afterAll, describe, expect, test } from "vitest";
import { biteKinds, sumOf, type BiteCounts, type BiteKind } from "./bites.ts";
import { createDatabases } from "./databases.ts";
import { drawPlan } from "./draw-plan.ts";
import { parades } from "./parades.testing.ts";
import { troubles, type Plan } from "./plan.ts";
import { findingsOf, playPublicEndpoint, publicEndpoint } from "./public-endpoint.ts";
import { readService, readTroubles } from "./read-wishes.ts";
import { story } from "./report.ts";
import { run } from "./run.ts";
import kept from "./seeds.json" with { type: "json" };
import { createTurns } from "./turns.ts";

/** A run takes six to twelve seconds and waits for its turn; on a busy machine ten times that. */
const runMsMax = 1_200_000;

/** Runs at the same time: each mostly waits, and keeps a quarter of a core busy. */
const runsMax = 3;

const databases = createDatabases();
afterAll(() => databases.stop());

const takeTurn = createTurns(runsMax);
const bitten: BiteCounts[] = [];

async function play(plan: Plan): Promise<void> {
  const report = await takeTurn(() => run(plan, databases));
  bitten.push(report.bites);
  expect(report.violations.length === 0 ? "" : story(report)).toBe("");
}

const options = { concurrent: true, timeout: runMsMax };

describe("nothing is lost, doubled or stuck", options, () => {
  test.each(kept)("seed $seed ($troubles): $showed", (entry) => {
    const wishes = { troubles: readTroubles(entry.troubles), service: readService(entry.service) };
    return play(drawPlan(entry.seed, wishes));
  });

  test.each(Object.entries(parades))("%s", (_name, plan) => play(plan));

  test("without trouble", () => play(drawPlan(4, { troubles: [] })));
  test("with all of them", () => play(drawPlan(226, { troubles })));
});

/**
 * What one node brings for certain. How often the others are met is the facilitator's own doing: it
 * learns a limit once, and then asks another node.
 */
const certain: readonly BiteKind[] = [
  "ordinary: rate",
  "ordinary: absurd_head",
  "ordinary: lag",
  "ordinary: latency",
];

test("every kind of trouble bit", () => {
  const counts = sumOf(bitten);
  const wanted = biteKinds.filter((kind) => !kind.startsWith("ordinary: "));
  const never = [...wanted, ...certain].filter((kind) => !counts.has(kind));
  expect(never).toEqual([]);
});

test.each([
  ["five requests a second", "json_429"],
  ["six calls a second, where calls are counted", "late_calls_in_200"],
] as const)("%s are enough for a payment a second", { timeout: runMsMax }, async (_, style) => {
  const plan = publicEndpoint({ seconds: 120, isReal: false, style });
  const report = await playPublicEndpoint(plan);
  expect(findingsOf(report)).toEqual([]);
  expect(report.payments).toHaveLength(120);
});

test("a seed gives the same plan each time, and another seed another one", () => {
  expect(drawPlan(17)).toEqual(drawPlan(17));
  expect(drawPlan(17).payments).not.toEqual(drawPlan(18).payments);
});

test("naming what a seed drew changes nothing", () => {
  const plan = drawPlan(17);
  expect(drawPlan(17, { troubles: plan.troubles, service: plan.service })).toEqual(plan);
});
