/** What is measured: the whole, or in two minutes what matters most. */
import type { Contender } from "./contenders.ts";
import type { Trial } from "./measure.ts";

/** A trial and who goes through it. */
export interface Heat {
  readonly trial: Trial;
  readonly contenders: readonly Contender[];
}

/** Time for a program's hot code to be compiled; less is measured as slowness. */
const warmUpMs = 3_000;

/** Thousands of verifications, and six blocks. */
const verifyMs = 4_000;
const settleMs = 6_000;

/** A node in another country. */
const farDelayMs = 50;

const three = ["farthing", "example", "tuned"] as const;
const two = ["farthing", "tuned"] as const;
const withExample = ["farthing", "example"] as const;
const ours = ["farthing"] as const;

/** Everything that the report shows. */
export const wholePlan: readonly Heat[] = [
  verify(1, two),
  verify(32, three),
  verify(128, two),
  ...[1, 32, 128].map((callers) => verify(callers, two, { rpcDelayMs: farDelayMs })),
  // Through a tap without delay, for the count of questions.
  ...[1, 32].map((callers) => verify(callers, ours, { rpcDelayMs: 0 })),
  settle(1, two),
  settle(32, withExample),
  settle(256, two),
  settle(1_000, ["farthing", "tuned", "tuned-legacy"]),
  settle(3_000, two),
  settle(32, withExample, { isAutomined: true }),
  ...[1, 1_000].map((callers) => settle(callers, ours, { rpcDelayMs: 0 })),
];

/** The main ratios. */
export const quickPlan: readonly Heat[] = [
  verify(32, three),
  verify(32, ours, { rpcDelayMs: 0 }),
  settle(1, two),
  settle(32, withExample),
  settle(32, withExample, { isAutomined: true }),
  settle(1_000, two),
];

type Ground = Pick<Trial, "rpcDelayMs" | "isAutomined">;

function verify(callers: number, contenders: Heat["contenders"], ground: Ground = {}): Heat {
  return {
    trial: { path: "/verify", callers, warmUpMs, countMs: verifyMs, ...ground },
    contenders,
  };
}

function settle(callers: number, contenders: Heat["contenders"], ground: Ground = {}): Heat {
  return {
    trial: { path: "/settle", callers, warmUpMs, countMs: settleMs, ...ground },
    contenders,
  };
}
