/** The events of a run, in order, for the person who has to understand a violation. */
import type { Clock } from "@farthing/facilitator";

/** A run's notes. */
export interface Trace {
  /** `block` is the chain's head when it happened. */
  note(text: string): void;
  /** Set by the chain as it grows. */
  head: number;
  lines(): readonly string[];
}

/** More lines than any run writes. */
const linesMax = 50_000;

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

/** The short form of a hash in notes. */
export function short(hash: string): string {
  return hash.slice(0, 10);
}
