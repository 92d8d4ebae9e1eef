/** The kit against a small honest seller, which passes, and against one with each fault. */
import { expect, test } from "vitest";
import { createHonestSeller } from "../subjects/honest-seller.testing.ts";
import { sellerFaults } from "../subjects/faults.testing.ts";
import { runSeller } from "./run-seller.ts";
import { sellerCases } from "./seller-cases.ts";

const paid = "GET:/report";

test("each planted fault fails its case", async () => {
  const faults = sellerCases.map(({ name }) => sellerFaults.find((one) => one === name));
  const results = await runSeller({
    start: (env) => createHonestSeller(env, faults.shift()),
    paid,
    // A harmful case starts the next subject.
    cases: sellerCases.map((one) => ({ ...one, isHarmful: true })),
  });
  const found = results.map(({ name, verdict }) => ({ name, verdict }));
  expect(found).toEqual(sellerCases.map(({ name }) => ({ name, verdict: "fail" })));
});

test("an honest seller passes every case", async () => {
  const results = await runSeller({
    start: (env) => createHonestSeller(env),
    paid,
    cases: sellerCases,
  });
  const found = results.map(({ name, verdict, reason }) => ({ name, verdict, reason }));
  expect(found).toEqual(sellerCases.map(({ name }) => ({ name, verdict: "pass", reason: "" })));
});
