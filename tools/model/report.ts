/** What a run of the checker says. */
import type { Story } from "../sim/replay/story.ts";
import type { CounterExample, Exploration } from "./checker/explore.ts";
import type { Run } from "./runs.ts";

export interface Checked {
  readonly run: Run;
  readonly found: Exploration;
}

/** Lines of a counter-example: what happened last matters most. */
const maxLines = 20;

export function storyOf({ promise, story }: CounterExample): string {
  const left = story.length - maxLines;
  const shown = left > 0 ? [`… ${left} steps`, ...story.slice(-maxLines + 1)] : story;
  const lines = shown.map((line, index) => `  ${String(index + 1).padStart(2)}  ${line}`);
  return [`Broken: ${promise}.`, ...lines].join("\n");
}

/** A counter-example as a file that --replay reads. */
export function jsonOf({ name, bounds }: Run, { promise, story: steps }: CounterExample): string {
  const { payments, wallets, processes, confirmations, batches } = bounds;
  const size = { payments, wallets, processes, confirmations, batches };
  return JSON.stringify({ run: name, promise, steps, size } satisfies Story);
}

export function line({ run, found }: Checked): string {
  const { states, steps, depth, ms } = found;
  const counts = `${thousands(states)} states, ${thousands(steps)} steps, depth ${depth}`;
  return `${verdictOf(found).padEnd(8)} ${run.name}: ${counts}, ${(ms / 1000).toFixed(1)} s`;
}

export function verdictOf({ counterExample, isComplete }: Exploration): string {
  if (counterExample) return "broken";
  return isComplete ? "holds" : "so far";
}

export function thousands(count: number): string {
  return count.toLocaleString("en-US");
}
