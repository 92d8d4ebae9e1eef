/** The benchmark measures what it says: real payments, on a real chain, by real programs. */
import { startDevnet, type Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { walletsInAll } from "./contenders.ts";
import { percentile, runLoad } from "./load.ts";
import { measure, type Stand } from "./measure.ts";
import { openMint } from "./payments.ts";
import { writeReport } from "./report.ts";
import { measureRpcCosts } from "./rpc-cost.ts";
import { withRpcCosts } from "./rpc-cost-report.ts";
import { evaluateTargets, type Results } from "./targets.ts";

let devnet: Devnet;
let stand: Stand;

beforeAll(async () => {
  devnet = await startDevnet({ blockTimeSeconds: 1, buyers: 10, relayers: walletsInAll });
  stand = { devnet, mint: await openMint(devnet) };
});
afterAll(() => devnet?.stop());

describe("a trial", () => {
  // The chain makes a block at once, so that a moment is enough for many payments.
  const moment = { callers: 4, warmUpMs: 0, countMs: 1_000 };

  test.each(["farthing", "tuned"] as const)(
    "of settling counts what %s put on chain",
    async (who) => {
      const trial = { path: "/settle", isAutomined: true, ...moment } as const;
      const figures = await measure(who, trial, stand);
      expect(figures.goodInAll).toBeGreaterThan(0);
      expect(figures.onChain?.payments).toBe(figures.goodInAll);
    },
  );

  test.each(["farthing", "example"] as const)(
    "of verifying counts the calls of %s",
    async (who) => {
      const figures = await measure(who, { path: "/verify", rpcDelayMs: 0, ...moment }, stand);
      expect(figures.complaint).toBeUndefined();
      expect(figures.goodInAll).toBe(figures.askedInAll);
      // Farthing asks once for one payment at least; the reference three times for each.
      if (who === "example") expect(figures.rpcCalls).toBeGreaterThan(2);
      else expect(figures.rpcCalls).toBeLessThan(2);
    },
  );
});

test("a load that ends before its timers are due reports both ends of counting, once each", async () => {
  const phases: string[] = [];
  await runLoad({
    url: devnet.rpcUrl,
    path: "/verify",
    callers: 1,
    // There is nothing to ask: the loop ends at once.
    next: () => undefined,
    warmUpMs: 60_000,
    countMs: 60_000,
    onCounting: (phase) => void phases.push(phase),
  });
  expect(phases).toEqual(["begin", "end"]);
});

/** Figures of a thousand in flight. */
const figures = (contender: "farthing" | "tuned", perSecond: number) => ({
  contender,
  trial: { path: "/settle" as const, callers: 1_000, warmUpMs: 0, countMs: 1_000 },
  perSecond,
  good: perSecond,
  goodInAll: perSecond,
  askedInAll: perSecond,
  p50Ms: 900,
  p99Ms: 1_100,
  complaint: undefined,
  cpuMicros: 300,
  memoryMiB: 200,
  rpcCalls: undefined,
  onChain: { payments: perSecond, transactions: 20 },
});

describe("the report", () => {
  const gas = {
    alone: 75_000,
    batched: 45_000,
    batches: 3,
    batchSize: 50,
    profile: new Map([["SSTORE", 23_000]]),
  };
  const results: Results = {
    figures: [figures("farthing", 1_000), figures("tuned", 100)],
    gasToOne: gas,
    gasToMany: { ...gas, batched: 60_000 },
  };
  const target = (what: string) =>
    evaluateTargets(results).find((one) => one.what.startsWith(what));

  test("holds ratios against what was wanted", () => {
    expect(target("settle/s at 1,000")).toMatchObject({ measured: 10, isReached: true });
    expect(target("gas of a payment")).toMatchObject({ measured: 0.6, isReached: true });
    expect(target("the same to many")).toMatchObject({ measured: 0.8, isReached: false });
  });

  test("calls nothing reached that the run did not measure", () => {
    expect(target("verify/s at 32")).toMatchObject({ measured: undefined, isReached: false });
  });

  test("shows each rate beside ours", () => {
    const versions = { viem: "2" };
    const page = writeReport(results, {
      isQuick: true,
      versions,
      blockGasLimit: 420_000_000,
      payers: 500,
      seconds: 100,
    });
    expect(page).toContain("| 1,000 | tuned | 100 | 10 | 100 % | 900 | 1,100 |");
    expect(page).toContain("| the same to many payees | at most 0.75 | 0.8 | **not reached** |");
  });
});

describe("what a node is asked", () => {
  test("is counted while payments are settled", async () => {
    const load = { name: "a moment", wallets: 1, seconds: 2, perSecond: 1, settleDownMs: 0 };
    const [cost] = await measureRpcCosts([load]);
    expect(cost).toMatchObject({ settled: 2 });
    // A verification, a simulation and a transaction at least for the first of them.
    expect(cost?.calls).toBeGreaterThan(3);
    expect(cost?.requests).toBeLessThanOrEqual(cost?.calls ?? 0);
    expect(cost?.callsOf.get("eth_sendRawTransaction")).toBeGreaterThan(0);
  });

  test("replaces its part of the page, and no other", () => {
    const load = { name: "1 payment a second", wallets: 1, seconds: 60, perSecond: 1 };
    const callsOf = new Map([["eth_call", 120]]);
    const cost = { load, settled: 60, minutes: 1, requests: 240, calls: 300, callsOf };
    const page = "# Benchmarks\n\n## Verify\n\nfast\n\n## Limiting factors\n\nnothing\n";
    const once = withRpcCosts(page, [{ ...cost, requests: 999 }]);
    expect(withRpcCosts(once, [cost])).toBe(withRpcCosts(page, [cost]));
    expect(withRpcCosts(page, [cost])).toContain(
      "| 1 payment a second | 1 | 60 | 240 | 300 | 4 | 5 |",
    );
    expect(withRpcCosts(page, [cost])).toMatch(/\| 1 payment a second \| 2 \| 0 \| .*\| 3 \|/);
    expect(withRpcCosts(page, [cost])).toMatch(/fast[^]*What a node is asked[^]*nothing/);
  });
});

test.each([
  [[], Number.NaN],
  [[5], 5],
  [[1, 2, 3, 4], 2],
  [[1, 2, 3, 4, 5], 3],
])("the middle of %j is %d", (sorted, middle) => {
  expect(percentile(sorted, 0.5)).toBe(middle);
});
