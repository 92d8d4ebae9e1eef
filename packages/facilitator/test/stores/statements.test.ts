/**
 * No statement of the store grows faster than log n with settlements, histories, listings or
 * deliveries. On PostgreSQL the pages that each reads are compared between a short and a long
 * history; on SQLite each plan is compared with an approved list, since an index that is used can
 * still read everything.
 *
 * A new statement changes the list: look at its lines (which columns have `=`, is anything scanned?)
 * and write it anew with `npx vitest run packages/facilitator/test/stores/statements -u`.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { fillHistory, prepareMonths } from "./long-history.testing.ts";
import { startPostgres, type TestPostgres } from "@farthing/engine/source/storage/postgres.testing";
import {
  collectBuffers,
  collectPlans,
  explainAll,
  watchCalls,
  type Calls,
} from "./statement-capture.testing.ts";
import { notCalled, runScenario } from "./store-scenario.testing.ts";
import { postgresStarter, startSqlite } from "./store-benches.testing.ts";
import type { StoreBench } from "./store-values.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

/** Methods that read everything, and say so: an operator's command runs them. */
const readsAll: readonly string[] = ["auditCredits"];

/** Methods that read up to a bound of their own, in pages: it is reached before a long history. */
const boundedPages: ReadonlyMap<string, number> = new Map([
  // Counts up to 10,000 listings.
  ["listPublicListings", 12_000],
  // Counts up to 10,000 pending deliveries.
  ["countWaitingDeliveries", 12_000],
  // Counts among the 10,000 newest calls of an account.
  ["countCalls", 12_000],
  // Looks through 1,000 listings, and through 500 with each word.
  ["searchPublicListings", 5_000],
  // Before it splits a full page of an index, PostgreSQL looks whether rows of it are dead: those of
  // one page, whatever the table's size.
  ["addDelivery", 400],
]);

/** Rows of a short and of a long history. */
const [shortRows, longRows] = [1_000, 50_000];

/**
 * Runs over a long history. The first statement on a new connection reads the catalogue as well, so
 * a statement's own pages are the least of several runs.
 */
const runsMax = 3;

/** A statement that reads no more pages than these is cheap at any size: a few rows of a few tables. */
const cheapPages = 24;

async function open(bench: StoreBench) {
  const store = await bench.open();
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await store.close();
  });
  return store;
}

/** A method that the scenario does not call would not be looked at. */
function expectAllCalled(store: ServiceStore, { called }: Calls): void {
  const left = Object.keys(store).filter((name) => !called.has(name));
  expect(left.toSorted()).toEqual([...notCalled].toSorted());
}

/** Rows that a statement reads for want of an index. */
const approvedScans =
  /^SCAN (json_each|given|\(subquery|\d+-ROW VALUES CLAUSE|CONSTANT ROW|sums_progress|listings USING INDEX listings_shown|webhook_deliveries USING COVERING INDEX webhook_deliveries_pending)/i;

/** An index that is used for the network alone finds a whole history. */
const wholeHistory =
  /^SEARCH (settlements|relayer_transactions|webhook_deliveries|credit_entries) .*\((chain_id|state)=\?\)/;

describe("on SQLite", () => {
  test("every statement is carried out as approved", async () => {
    const bench = await startSqlite();
    onTestFinished(bench.stop);
    const opened = await open(bench);
    const calls = { called: new Set<string>(), current: "" };
    const plans = await collectPlans(calls, () => runScenario(watchCalls(opened, calls)));
    expectAllCalled(opened, calls);
    const scans = [...plans].flatMap(([method, lines]) =>
      readsAll.includes(method)
        ? []
        : [...lines]
            .filter(
              (line) =>
                wholeHistory.test(line) || (line.startsWith("SCAN") && !approvedScans.test(line)),
            )
            .map((line) => `${method}: ${line}`),
    );
    expect(scans).toEqual([]);
    const text = [...plans]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([method, lines]) =>
        [method, ...[...lines].toSorted().map((line) => `  ${line}`), ""].join("\n"),
      )
      .join("\n");
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "sqlite-plans.txt"));
  });
});

describe("on PostgreSQL", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  /** Returns what calls every method over a history of so many rows, and the pages that it took. */
  async function prepare(rows: number): Promise<() => Promise<Pages>> {
    const bench = await postgresStarter(() => server)();
    const first = await bench.open();
    await prepareMonths(first);
    await first.close();
    await fillHistory(bench, rows);
    for (const statement of explainAll(new URL(bench.databaseUrl).pathname.slice(1))) {
      await bench.query(statement);
    }
    const calls = { called: new Set<string>(), current: "" };
    const buffers = collectBuffers(calls);
    const opened = await open(bench);
    return async () => {
      buffers.clear();
      await runScenario(watchCalls(opened, calls));
      expectAllCalled(opened, calls);
      return new Map(buffers);
    };
  }

  test("no statement reads more than twice the pages of a history fifty times as long", async () => {
    const runShort = await prepare(shortRows);
    const short = await runShort();
    vi.restoreAllMocks();
    const runLong = await prepare(longRows);
    let long = await runLong();
    for (let runs = 1; runs < runsMax && grownOf(short, long).length > 0; runs++) {
      long = leastOf(long, await runLong());
    }
    expect(grownOf(short, long)).toEqual([]);
    expect(long.size).toBeGreaterThan(100);
  });
});

/** Pages by method and statement. */
type Pages = ReadonlyMap<string, number>;

function grownOf(short: Pages, long: Pages): string[] {
  return [...long].flatMap(([name, pages]) => {
    const method = name.slice(0, name.indexOf(":"));
    const most = boundedPages.get(method) ?? 2 * Math.max(short.get(name) ?? 0, cheapPages);
    if (pages <= most || readsAll.includes(method)) return [];
    return [`${short.get(name)} → ${pages} pages, ${name}`];
  });
}

function leastOf(one: Pages, other: Pages): Pages {
  return new Map(
    [...one].map(([name, pages]) => [name, Math.min(pages, other.get(name) ?? pages)]),
  );
}
