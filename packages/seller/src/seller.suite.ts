/**
 * The promises of a seller, the same for every adapter: over real HTTP, with real signatures,
 * against a facilitator that answers rightly, wrongly, late or not at all.
 */
import { describe } from "vitest";
import { balanceSuite } from "./balances.suite.ts";
import { boundRepeatsSuite } from "./bound-repeats.suite.ts";
import { afterSuccessSuite } from "./exchange/after-success.suite.ts";
import { inputCheckSuite } from "./extensions/input-check.suite.ts";
import { facilitatorFaultsSuite } from "./facilitator-faults.suite.ts";
import { passSuite } from "./passes.suite.ts";
import { paymentSuite } from "./payment.suite.ts";
import { saleBooksSuite } from "./sale-books.suite.ts";
import { rateLimitSuite } from "./rate-limits.suite.ts";
import type { Listen } from "./scene.testing.ts";
import { singleUseSuite } from "./single-use.suite.ts";
import { termsSuite } from "./terms.suite.ts";

/** Each sets a scene of its own before its tests, and only before them. */
const suites = {
  payments: paymentSuite,
  terms: termsSuite,
  "input checks": inputCheckSuite,
  "sale books": saleBooksSuite,
  "rate limits": rateLimitSuite,
};

/**
 * Those with tests that wait for a time limit to pass, a dozen of 2.5 s each. Their tests share
 * nothing but the process, and run at the same time.
 */
const waitingSuites = {
  "facilitator faults": facilitatorFaultsSuite,
  "single use": singleUseSuite,
  "after success": afterSuccessSuite,
  "bound repeats": boundRepeatsSuite,
  passes: passSuite,
  balances: balanceSuite,
};

/** Runs every promise against one adapter. */
export function sellerSuite(name: string, listen: Listen): void {
  describe(name, () => {
    for (const [part, suite] of Object.entries(suites)) describe(part, () => suite(listen));
    for (const [part, suite] of Object.entries(waitingSuites)) {
      describe(part, { concurrent: true }, () => suite(listen));
    }
  });
}
