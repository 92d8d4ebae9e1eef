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
  "facilitator faults": facilitatorFaultsSuite,
  "single use": singleUseSuite,
  "after success": afterSuccessSuite,
  terms: termsSuite,
  "bound repeats": boundRepeatsSuite,
  passes: passSuite,
  balances: balanceSuite,
  "input checks": inputCheckSuite,
  "sale books": saleBooksSuite,
  "rate limits": rateLimitSuite,
};

/** Runs every promise against one adapter. */
export function sellerSuite(name: string, listen: Listen): void {
  describe(name, () => {
    for (const [part, suite] of Object.entries(suites)) describe(part, () => suite(listen));
  });
}
