/** What is measured: the whole, or in two minutes what matters most. */
import type { Contender } from "./contenders.ts";
import type { Trial } from "./measure.ts";

/** A trial and who goes through it. */
export interface Heat {
  readonly trial: Trial;
  readonly contenders: readonly Contender[];
}

/** Time for a program's hot code to be compiled; less is measured as slowness. */
const warmUpMs = 5_000;
const quickWarmUpMs = 3_000;

/** Long enough for ten blocks. */
const countMs = 10_000;
const quickVerifyMs = 4_000;
const quickSettleMs = 6_000;

/** A node in another country. */
const farDelayMs = 50;

const all = ["farthing", "example", "tuned", "tuned-legacy"] as const;
const pair = ["farthing", "tuned"] as const;

/** Everything that the report shows. */
export const wholePlan: readonly Heat[] = [
  ...[1, 32, 128].map((callers) => verify(callers)),
  ...[1, 32, 128].map((callers) => verify(callers, { rpcDelayMs: farDelayMs })),
  // Through a tap without delay, for the count of questions.
  ...[1, 32].map((callers) => verify(callers, { rpcDelayMs: 0 })),
  ...[1, 32, 256, 1_000, 3_000].map((callers) => settle(callers)),
  ...[1, 32].map((callers) => settle(callers, { isAutomined: true })),
  ...[1, 1_000].map((callers) => settle(callers, { rpcDelayMs: 0 })),
];

/** The main ratios. */
export const quickPlan: readonly Heat[] = [
  quick(verify(32), ["farthing", "example", "tuned"]),
  quick(verify(32, { rpcDelayMs: 0 }), ["farthing"]),
  quick(settle(1), pair),
  quick(settle(32), ["farthing", "example"]),
  quick(settle(32, { isAutomined: true }), ["farthing", "example"]),
  quick(settle(1_000), pair),
];

type Ground = Pick<Trial, "rpcDelayMs" | "isAutomined">;

function verify(callers: number, ground: Ground = {}): Heat {
  return { trial: { path: "/verify", callers, warmUpMs, countMs, ...ground }, contenders: all };
}

function settle(callers: number, ground: Ground = {}): Heat {
  return { trial: { path: "/settle", callers, warmUpMs, countMs, ...ground }, contenders: all };
}

function quick({ trial }: Heat, contenders: readonly Contender[]): Heat {
  const shortMs = trial.path === "/verify" ? quickVerifyMs : quickSettleMs;
  return { trial: { ...trial, warmUpMs: quickWarmUpMs, countMs: shortMs }, contenders };
}
