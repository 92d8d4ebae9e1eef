/** Time that passes only when a test says so. */
import type { Clock } from "./clock.ts";

export function createVirtualTime() {
  let nowMs = Date.now();
  const sleepers = new Set<{ readonly untilMs: number; wake(): void }>();
  const clock: Clock = {
    now: () => nowMs,
    sleep: (ms, _where, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const sleeper = { untilMs: nowMs + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          resolve();
        });
      }),
  };
  return {
    clock,
    /** How many wait for a time. */
    sleeping: () => sleepers.size,
    /** Time passes, and nothing runs: the process was suspended. */
    skip: (ms: number) => void (nowMs += ms),
    /** Time passes for a process that runs: what is due wakes, and works until it sleeps again. */
    async pass(ms: number): Promise<void> {
      const endMs = nowMs + ms;
      for (;;) {
        const [next] = [...sleepers].toSorted((a, b) => a.untilMs - b.untilMs);
        if (!next || next.untilMs > endMs) break;
        nowMs = next.untilMs;
        sleepers.delete(next);
        next.wake();
        await new Promise((resolve) => setImmediate(resolve));
      }
      nowMs = endMs;
    },
  };
}
