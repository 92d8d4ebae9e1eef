/** The ledger in memory keeps the promises of every ledger, and forgets what is past. */
import { expect, test } from "vitest";
import { pathTo, reservation, rules, testLedger } from "./ledger.suite.ts";
import { dayMs } from "./limits.ts";
import { memoryLedger } from "./memory-ledger.ts";

testLedger(memoryLedger, 100);

test("closed records are forgotten after a day, open ones are not", async () => {
  const ledger = memoryLedger();
  await ledger.reserve(reservation("open"), rules);
  await ledger.reserve(reservation("closed"), rules);
  for (const state of pathTo.settled) await ledger.transition("closed", { state });
  await ledger.reserve(reservation("later", { reservedAt: 1_000_000_000 + dayMs }), rules);
  expect(await ledger.find("closed")).toBeUndefined();
  expect((await ledger.find("open"))?.state).toBe("reserved");
});
