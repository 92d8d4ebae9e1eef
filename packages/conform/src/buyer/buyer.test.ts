/** The kit against a small honest buyer, which passes, and against one with each fault. */
import { expect, test } from "vitest";
import { buyerFaults, type BuyerFault } from "../subjects/faults.testing.ts";
import { buyOnce } from "../subjects/honest-buyer.testing.ts";
import { buyerCases } from "./buyer-cases.ts";
import { runBuyer } from "./run-buyer.ts";

const names = buyerCases.map(({ name }) => name);

test("each planted fault fails its case", async () => {
  let fault: BuyerFault | undefined;
  const cases = buyerCases.map((one): (typeof buyerCases)[number] => ({
    ...one,
    run(bench) {
      fault = buyerFaults.find((name) => name === one.name);
      return one.run(bench);
    },
  }));
  const results = await runBuyer({ run: (env) => buyOnce(env, fault), cases });
  const found = results.map(({ name, verdict }) => ({ name, verdict }));
  expect(found).toEqual(names.map((name) => ({ name, verdict: "fail" })));
});

test("an honest buyer passes every case", async () => {
  const results = await runBuyer({ run: (env) => buyOnce(env), cases: buyerCases });
  const found = results.map(({ name, verdict, reason }) => ({ name, verdict, reason }));
  expect(found).toEqual(names.map((name) => ({ name, verdict: "pass", reason: "" })));
});
