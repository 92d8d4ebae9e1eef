/**
 * The claiming calls of this process: those whose response is not written yet, and those that ended
 * a moment ago. What other processes do is known from the database alone.
 */
import type { Clock } from "../base/clock.ts";

/**
 * A response that reports a success is written within so many milliseconds of being allowed to, or
 * its writer has given the success back. Ended calls are remembered as long.
 */
export const writingMs = 1_000;

export interface OwnCalls {
  /** Remembers a call from its claim on; `ended` resolves when nothing more will come of it. */
  note(settlementId: string, ended: Promise<void>): void;
  find(settlementId: string): Promise<void> | undefined;
}

/** Creates an empty book. */
export function createOwnCalls(clock: Clock): OwnCalls {
  const calls = new Map<string, Promise<void>>();
  // In order of their ends: those of the last moment, and no more.
  const endedAt = new Map<string, number>();

  function forgetOld(now: number): void {
    for (const [id, endedMs] of endedAt) {
      if (endedMs + writingMs > now) break;
      endedAt.delete(id);
      calls.delete(id);
    }
  }

  return {
    find: (settlementId) => calls.get(settlementId),
    note(settlementId, ended) {
      calls.set(settlementId, ended);
      void ended.finally(() => {
        const now = clock.nowMs();
        forgetOld(now);
        endedAt.set(settlementId, now);
      });
    },
  };
}
