/** What is measured: the whole, or in two minutes what matters most. */
import type { Contender } from "./contenders.ts";
import type { Trial } from "./measure.ts";

/** A trial and who goes through it. */
export interface Heat {
  readonly trial: Trial;
  readonly contenders: readonly Contender[];
}

/** Time for a program's hot code to be compiled; less is measured as slowness. */
const warmUpMs = 4_000;
const quickWarmUpMs = 3_000;

/** Thousands of verifications, and eight blocks. */
const verifyMs = 6_000;
const settleMs = 8_000;
const quickVerifyMs = 4_000;
const quickSettleMs = 6_000;

/** A node in another country. */
const farDelayMs = 50;

const all = ["farthing", "example", "tuned", "tuned-legacy"] as const;
const three = ["farthing", "example", "tuned"] as const;
const two = ["farthing", "tuned"] as const;

/** Everything that the report shows. */
export const wholePlan: readonly Heat[] = [
  ...[1, 32, 128].map((callers) => verify(callers, three)),
  ...[1, 32, 128].map((callers) => verify(callers, three, { rpcDelayMs: farDelayMs })),
  // Through a tap without delay, for the count of questions.
  ...[1, 32].map((callers) => verify(callers, two, { rpcDelayMs: 0 })),
  settle(1, three),
  ...[32, 256, 1_000, 3_000].map((callers) => settle(callers, all)),
  ...[1, 32].map((callers) => settle(callers, three, { isAutomined: true })),
  ...[1, 1_000].map((callers) => settle(callers, two, { rpcDelayMs: 0 })),
];

/** The main ratios. */
export const quickPlan: readonly Heat[] = [
  quick(verify(32, three)),
  quick(verify(32, ["farthing"], { rpcDelayMs: 0 })),
  quick(settle(1, two)),
  quick(settle(32, ["farthing", "example"])),
  quick(settle(32, ["farthing", "example"], { isAutomined: true })),
  quick(settle(1_000, two)),
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

function quick({ trial, contenders }: Heat): Heat {
  const countMs = trial.path === "/verify" ? quickVerifyMs : quickSettleMs;
  return { trial: { ...trial, warmUpMs: quickWarmUpMs, countMs }, contenders };
}
