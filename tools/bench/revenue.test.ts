/** The part of the benchmark about revenue measures what it names, and says so. */
import { expect, test } from "vitest";
import { measureRevenue, revenueSection } from "./revenue.ts";

test("confirmations and pages are measured at first and after some months", async () => {
  const plan = { months: 2, payers: 1_300, rounds: 1 };
  const told: string[] = [];
  const figures = await measureRevenue("sqlite", plan, (line) => void told.push(line));
  for (const { empty, long } of figures.work) expect(Math.min(empty, long)).toBeGreaterThan(0);
  const section = revenueSection(plan, [figures]);
  expect(section).toContain("## Revenue");
  expect(section).toContain("1,300 payers a month for 2 months");
  expect(section.match(/^\| (confirmation|revenue|500|the first) /gm)).toHaveLength(6);
  expect(told).toHaveLength(2);
});
