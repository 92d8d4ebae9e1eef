/**
 * Seeds that once showed a defect, and scenarios with every kind of fault. More of them, and new ones:
 * `npm run sim -- --minutes 30`.
 */
import { afterAll, describe, expect, test } from "vitest";
import {
  observedFaultKinds,
  sumOf,
  type ObservedFaultCounts,
  type ObservedFaultKind,
} from "./observed-faults.ts";
import { createDatabases } from "./databases.ts";
import { drawPlan } from "./draw-plan.ts";
import { scenarios } from "./scenarios.ts";
import { pathScenarios } from "./path-scenarios.ts";
import { faultKinds, type Plan } from "./plan.ts";
import { countPaths } from "./recovery-paths.ts";
import { findingsOf, playPublicEndpoint, publicEndpoint } from "./public-endpoint.ts";
import { readService, readFaultKinds } from "./read-plan-input.ts";
import { story } from "./report.ts";
import { run } from "./run.ts";
import kept from "./seeds.json" with { type: "json" };
import { createSemaphore } from "./semaphore.ts";

/** A run takes six to twelve seconds and waits for a permit; on a busy machine ten times that. */
const runMsMax = 1_200_000;

/** Runs at the same time: each mostly waits, and keeps a quarter of a core busy. */
const runsMax = 4;

const databases = createDatabases();
afterAll(() => databases.stop());

const withPermit = createSemaphore(runsMax);
const observed: ObservedFaultCounts[] = [];
const taken: ReadonlySet<string>[] = [];

async function play(plan: Plan): Promise<void> {
  const report = await withPermit(() => run(plan, databases));
  observed.push(report.observedFaults);
  taken.push(report.paths);
  expect(report.violations.length === 0 ? "" : story(report)).toBe("");
}

/** Of the scenarios that `npm run sim -- --paths` plays besides. */
const playedForPaths = [
  "a key service that is down",
  "batches too dear for the nodes",
  "paid by a third party after it had failed",
];

function planOf(name: string): Plan {
  const plan = pathScenarios[name];
  if (!plan) throw new Error(`There is no scenario ${name}`);
  return plan;
}

const options = { concurrent: true, timeout: runMsMax };

describe("nothing is lost, doubled or stuck", options, () => {
  test.each(kept)("seed $seed ($troubles): $showed", (entry) => {
    const input = {
      faultKinds: readFaultKinds(entry["troubles"]),
      service: readService(entry.service),
    };
    return play(drawPlan(entry.seed, input));
  });

  test.each(Object.entries(scenarios))("%s", (_name, plan) => play(plan));
  test.each(playedForPaths)("%s", (name) => play(planOf(name)));

  test("without faults", () => play(drawPlan(4, { faultKinds: [] })));
  test("with all of them", () => play(drawPlan(226, { faultKinds })));

  test.each([
    ["five requests a second", "json_429"],
    ["six calls a second, where calls are counted", "late_calls_in_200"],
  ] as const)("%s are enough for a payment a second", async (_, style) => {
    const plan = publicEndpoint({ seconds: 120, isReal: false, style });
    const report = await withPermit(() => playPublicEndpoint(plan));
    expect(findingsOf(report)).toEqual([]);
    expect(report.payments).toHaveLength(120);
  });
});

/**
 * Met only by a transaction that the facilitator signs between a step of the price and its next look
 * at the chain, which no plan can force.
 */
const byChance: ReadonlySet<ObservedFaultKind> = new Set(["gas: refused"]);

/**
 * Faults that one node causes for certain. Whether the others are met depends on the facilitator: it
 * learns a limit once, and then asks another node.
 */
const certain: readonly ObservedFaultKind[] = [
  "ordinary: rate",
  "ordinary: absurd_head",
  "ordinary: lag",
  "ordinary: latency",
];

test("every kind of fault was met", () => {
  const counts = sumOf(observed);
  const wanted = observedFaultKinds.filter(
    (kind) => !kind.startsWith("ordinary: ") && !byChance.has(kind),
  );
  const never = [...wanted, ...certain].filter((kind) => !counts.has(kind));
  expect(never).toEqual([]);
});

/** Recovery paths that a scenario takes whatever the machine's load; the others are counted in campaigns. */
const certainPaths = [
  "the same bytes are sent again",
  "a confirmed payment is open again after a reorganisation",
  "a payment that the database had lost is found",
  "blocks that the database lacks are searched",
  "a nonce that was never signed is given back",
  "a gap between nonces is filled",
  "a batch that no node takes is canceled, and its payments go other ways",
  "a batch is made smaller for a node",
  "a failed payment that a third party has paid is confirmed",
];

test("the recovery paths that scenarios are made for were taken", () => {
  const counts = countPaths(taken);
  expect(certainPaths.filter((path) => !((counts[path] ?? 0) > 0))).toEqual([]);
});

test("a seed gives the same plan each time, and another seed another one", () => {
  expect(drawPlan(17)).toEqual(drawPlan(17));
  expect(drawPlan(17).payments).not.toEqual(drawPlan(18).payments);
});

test("naming what a seed drew changes nothing", () => {
  const plan = drawPlan(17);
  expect(drawPlan(17, { faultKinds: plan.faultKinds, service: plan.service })).toEqual(plan);
});
