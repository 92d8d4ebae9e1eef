/** The part of the benchmark about a long history: it measures both databases, and says so. */
import { expect, test } from "vitest";
import { measureHistory } from "./history.ts";
import { historySection, sectionOf, withHistory } from "./history-report.ts";

test("each kind of work is measured beside a history and beside none, on both databases", async () => {
  const told: string[] = [];
  const figures = await measureHistory(200, (line) => told.push(line));
  expect(figures.map(({ engine }) => engine)).toEqual(["SQLite", "PostgreSQL"]);
  for (const { work, bytesEach } of figures) {
    expect(work.length).toBeGreaterThanOrEqual(9);
    for (const { emptyMs, longMs } of work) expect(Math.min(emptyMs, longMs)).toBeGreaterThan(0);
    expect(bytesEach).toBeGreaterThan(0);
  }
  const section = historySection(figures);
  const page = withHistory("# Benchmarks\n\n## Verify\n\ntext\n", section);
  expect(page).toMatch(/## Verify[^]*## A long history/);
  // Measured again, it takes the place of the former one.
  const again = withHistory(`${page}\n## What else\n`, section);
  expect(again.match(/## A long history/g)).toHaveLength(1);
  expect([sectionOf(again), sectionOf("# Benchmarks\n")]).toEqual([section, undefined]);
}, 120_000);
