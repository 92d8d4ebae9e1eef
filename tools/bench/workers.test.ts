/** The part of the benchmark about workers, with a few requests. */
import { expect, test } from "vitest";
import { measureWorkers, workersSection } from "./workers.ts";

test("one process and workers are measured in one run", async () => {
  const plan = { callers: [4], workers: [1, 2], rounds: 1, warmUpMs: 0, countMs: 300 };
  const section = workersSection(plan, await measureWorkers(plan, () => undefined));
  expect(section).toMatch(/^\| 4 +\| one process +\| [\d.,]+ +\| [\d.,]+ +\| +\|/m);
  expect(section).toMatch(
    /^\| 4 +\| 2 workers +\| [\d.,]+ +\| [\d.,]+ +\| [\d.]+ .*at most 0\.333/m,
  );
});
