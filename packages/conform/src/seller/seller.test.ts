/** The kit against a small honest seller, which passes, and against one with each fault. */
import { expect, test } from "vitest";
import { createHonestSeller } from "../subjects/honest-seller.testing.ts";
import { sellerFaults } from "../subjects/faults.testing.ts";
import { failingCases, inARow } from "../subjects/planted-faults.testing.ts";
import { runSeller } from "./run-seller.ts";
import { sellerCases } from "./seller-cases.ts";

const paid = "GET:/report";

test("every case has a fault of its own", () => {
  expect([...sellerFaults].toSorted()).toEqual(sellerCases.map(({ name }) => name).toSorted());
});

test("each planted fault fails its case and those that stand on it, and no other", async () => {
  const row = inARow(sellerFaults.map((fault) => ({ fault, cases: sellerCases })));
  const results = await runSeller({
    start: (env) => createHonestSeller(env, row.fault()),
    paid,
    cases: row.cases,
  });
  const expected = sellerFaults.map((fault) => [
    fault,
    failingCases(sellerCases, fault).map(({ name }) => name),
  ]);
  expect(row.failed(results)).toEqual(expected);
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
