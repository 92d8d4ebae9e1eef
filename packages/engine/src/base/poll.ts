/** Background work that is repeated until it is stopped. */
import type { Clock } from "./clock.ts";

interface PollTerms {
  readonly clock: Clock;
  readonly pauseMs: number;
  readonly isDelayed?: boolean;
}

/**
 * Runs `work` with a pause between its runs, first at once or after one pause. `stop` aborts the
 * signal and resolves when the current run has ended.
 */
export function startPoll(
  { clock, pauseMs, isDelayed = false }: PollTerms,
  work: (signal: AbortSignal) => Promise<void> | void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    if (isDelayed) await clock.sleep(pauseMs, signal);
    while (!signal.aborted) {
      await work(signal);
      await clock.sleep(pauseMs, signal);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
