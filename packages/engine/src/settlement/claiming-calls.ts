/**
 * The claiming calls of this process whose response is not written yet or ended a moment ago. Calls
 * of other processes are known from the database alone.
 */
import type { Clock } from "../base/clock.ts";

/**
 * Within this time of taking the success, a call has written its response or released the success.
 * Ended calls are remembered as long.
 */
export const writingMs = 1_000;

export interface ClaimingCalls {
  /** Adds a call when it claims; `ended` resolves when its response is written or lost. */
  add(settlementId: string, ended: Promise<void>): void;
  find(settlementId: string): Promise<void> | undefined;
}

export function createClaimingCalls(clock: Clock): ClaimingCalls {
  const calls = new Map<string, Promise<void>>();
  // In the order in which the calls ended.
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
    add(settlementId, ended) {
      calls.set(settlementId, ended);
      void ended.finally(() => {
        const now = clock.nowMs();
        forgetOld(now);
        endedAt.set(settlementId, now);
      });
    },
  };
}
