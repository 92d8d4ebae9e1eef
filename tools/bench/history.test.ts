/** The part of the benchmark about a long history: it measures a database, and says so. */
import { expect, test } from "vitest";
import { measureHistory, type HistoryFigures } from "./history.ts";
import { historySection, sectionOf, withHistory, withWholeHistory } from "./history-report.ts";

/** Long enough for some payments to be settled on a machine whose cores others use as well. */
const trials = { times: 1, callers: 8, warmUpMs: 0, countMs: 8_000 };

test.each(["sqlite", "postgres"] as const)(
  "each kind of work is measured beside a history and beside none, on %s",
  async (engine) => {
    const told: string[] = [];
    const tell = (line: string) => void told.push(line);
    const plan = { engine, rows: 200, rounds: 2, trials, tell };
    const { work, bytesEach } = await measureHistory(plan);
    const names = work.map(({ name }) => name);
    for (const wanted of ["claim", "settle", "block", "history", "usage", "credits", "search"]) {
      expect(names.join()).toContain(wanted);
    }
    expect(names).toContain("start of the service, to /ready");
    expect(names).toContain("settlements a second over HTTP, 8 in flight");
    for (const { empty, long } of work) expect(Math.min(empty, long)).toBeGreaterThan(0);
    expect(bytesEach).toBeGreaterThan(0);
    expect(told.join("\n")).toContain("200 settlements");
  },
  120_000,
);

const figures = (engine: "sqlite" | "postgres", empty: number): HistoryFigures => ({
  engine,
  rows: 1_000,
  fillSeconds: 1,
  bytesEach: 3_000.4,
  work: [{ name: "credits", empty, long: 2, ratio: 2 / empty }],
});

test("each database and size has a part of the page, which a new measurement replaces", () => {
  const page = "# Benchmarks\n\n## Verify\n\ntext\n";
  const one = withHistory(page, historySection(figures("sqlite", 1)));
  expect(one).toMatch(/## Verify[^]*## A long history[^]*on SQLite/);
  expect(one).toContain("| credits | 1 | 2 | 2 | **not reached** |");
  const both = withHistory(`${one}\n## What else\n`, historySection(figures("postgres", 1)));
  const again = withHistory(both, historySection(figures("sqlite", 2)));
  expect(again).toContain("| credits | 2 | 2 | 1 | reached |");
  expect(again.match(/^##.*$/gm)).toEqual([
    "## Verify",
    "## A long history",
    "### 1,000 settlements on SQLite",
    "### 1,000 settlements on PostgreSQL",
    "## What else",
  ]);
  // The rest of the page is written anew without it.
  expect(sectionOf(page)).toBeUndefined();
  const rewritten = withWholeHistory("# Benchmarks\n", sectionOf(again) ?? "");
  expect(sectionOf(rewritten)).toBe(sectionOf(again));
});
