/** What happened in a run, in order, for whoever has to understand a violation. */
import type { Clock } from "@farthing/facilitator";

/** A run's notes. */
export interface Trace {
  /** `block` is the chain's head when it happened. */
  note(text: string): void;
  /** Set by the chain as it grows. */
  head: number;
  lines(): readonly string[];
}

/** Lines kept of one run; more than any run writes. */
const linesMax = 50_000;

/** Starts the notes of a run. */
export function createTrace(clock: Clock): Trace {
  const lines: string[] = [];
  const startedAtMs = clock.nowMs();
  const trace: Trace = {
    head: 0,
    note(text) {
      if (lines.length >= linesMax) return;
      const seconds = ((clock.nowMs() - startedAtMs) / 1000).toFixed(2).padStart(7);
      lines.push(`${seconds} s  block ${trace.head}  ${text}`);
    },
    lines: () => lines,
  };
  return trace;
}

/** A hash as notes name it. */
export function short(hash: string): string {
  return hash.slice(0, 10);
}
