/** What Farthing wants to reach beside the reference, and what it reached in this run. */
import type { Contender } from "./contenders.ts";
import type { GasFigures } from "./gas.ts";
import type { Figures, Trial } from "./measure.ts";

/** Everything that a run measured. */
export interface Results {
  readonly figures: readonly Figures[];
  readonly gasToOne: GasFigures;
  readonly gasToMany: GasFigures;
}

/** A target and the figure beside it. */
export interface Target {
  readonly what: string;
  readonly wanted: string;
  /** Undefined when the run did not measure it. */
  readonly measured: number | undefined;
  readonly isReached: boolean;
}

/** Finds the figures of a contender in a trial. */
export function find(
  { figures }: Results,
  contender: Contender,
  wanted: Pick<Trial, "path" | "callers" | "rpcDelayMs" | "isAutomined">,
): Figures | undefined {
  return figures.find(
    ({ trial, contender: who }) =>
      who === contender &&
      trial.path === wanted.path &&
      trial.callers === wanted.callers &&
      trial.rpcDelayMs === wanted.rpcDelayMs &&
      trial.isAutomined === wanted.isAutomined,
  );
}

/** The targets, each with what this run says about it. */
export function evaluateTargets(results: Results): Target[] {
  const rate = (who: Contender, path: Trial["path"], callers: number) =>
    find(results, who, { path, callers })?.perSecond;
  const times = (path: Trial["path"], callers: number, than: Contender) =>
    quotient(rate("farthing", path, callers), rate(than, path, callers));
  const calls = (path: Trial["path"], callers: number) =>
    find(results, "farthing", { path, callers, rpcDelayMs: 0 })?.rpcCalls;
  const atOnce = (who: Contender) =>
    find(results, who, { path: "/settle", callers: 32, isAutomined: true })?.perSecond;
  const p50 = (who: Contender) => find(results, who, { path: "/settle", callers: 1 })?.p50Ms;
  const success = [1_000, 3_000].map((callers) => {
    const found = find(results, "farthing", { path: "/settle", callers });
    return found && found.goodInAll / found.askedInAll;
  });
  const { gasToOne, gasToMany } = results;
  return [
    atLeast("verify/s at 32 connections, beside the example", 20, times("/verify", 32, "example")),
    atLeast("verify/s at 32 connections, beside tuned", 12, times("/verify", 32, "tuned")),
    atLeast("settle/s at 32 in flight, beside the example", 20, times("/settle", 32, "example")),
    atLeast(
      "the same where each transaction gets a block at once",
      20,
      quotient(atOnce("farthing"), atOnce("example")),
    ),
    atLeast("settle/s at 1,000 in flight, beside tuned", 7, times("/settle", 1_000, "tuned")),
    atLeast("settle/s at 3,000 in flight, beside tuned", 7, times("/settle", 3_000, "tuned")),
    atLeast("settlements that succeed at 1,000 in flight", 1, success[0]),
    atLeast("settlements that succeed at 3,000 in flight", 1, success[1]),
    atMost("gas of a payment in a batch of 50, beside alone", 0.65, ratioOf(gasToOne)),
    atMost("the same to many payees", 0.75, ratioOf(gasToMany)),
    atMost("JSON-RPC calls per verify, alone", 1, calls("/verify", 1)),
    atMost("JSON-RPC calls per verify, 32 connections", 0.1, calls("/verify", 32)),
    atMost("JSON-RPC calls per settle, 1,000 in flight", 0.2, calls("/settle", 1_000)),
    atMost(
      "time to confirmation of a lone payment, beside tuned",
      1,
      quotient(p50("farthing"), p50("tuned")),
    ),
  ];
}

function ratioOf({ alone, batched }: GasFigures): number {
  return batched / alone;
}

function quotient(one: number | undefined, other: number | undefined): number | undefined {
  // Nothing was answered while it counted: that is no ratio.
  if (one === undefined || other === undefined || other === 0) return undefined;
  return one / other;
}

function atLeast(what: string, bound: number, measured: number | undefined): Target {
  const isReached = measured !== undefined && measured >= bound;
  return { what, wanted: `at least ${bound}`, measured, isReached };
}

function atMost(what: string, bound: number, measured: number | undefined): Target {
  // Three digits: what the report shows. Two equal latencies differ in the fourth.
  const isReached = measured !== undefined && Number(measured.toPrecision(3)) <= bound;
  return { what, wanted: `at most ${bound}`, measured, isReached };
}
