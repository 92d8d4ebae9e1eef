/** `farthing conform` before it tests anything: the list of cases, and what it cannot do without. */
import { expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

test.each([
  ["facilitator", "reorganisation"],
  ["seller", "settlement-pending"],
  ["buyer", "limit-holds"],
])("%s: the cases are listed without anything to test", async (role, name) => {
  const { code, stdout } = await farthing(["conform", role, "--list"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`money  ${name}: `);
});

test("a run names the flag that is missing", async () => {
  const { code, stdout, stderr } = await farthing(["conform", "seller"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("--start <command>");
});
