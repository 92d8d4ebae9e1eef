/** Callers that wait for a settlement to change. Nothing polls: a change wakes them. */
import { callAfter, type Clock } from "../base/clock.ts";
import { isSettled, type Settlement } from "../model/settlement.ts";

export interface SettlementChange {
  /** Absent when the settlement was only sent. */
  readonly settlement?: Settlement;
  /** A node has the transaction's bytes. */
  readonly isSent: boolean;
}

export type WaitGoal =
  /** A node has the transaction, or the outcome is known. */
  "broadcast" | "outcome" | "change";

export type Waiters = ReturnType<typeof createWaiters>;

/** A wait that has begun. Begin it before the work that it waits for, so that nothing is missed. */
export interface Waiting {
  /** Resolves to the changed settlement; undefined where the caller has to read it. */
  readonly done: Promise<Settlement | undefined>;
  cancel(): void;
}

interface Listener {
  wake(change: SettlementChange): void;
  end(): void;
}

/** When `ending` aborts, all waits end, and no later one lasts. */
export function createWaiters(clock: Clock, ending?: AbortSignal) {
  const listeners = new Map<string, Set<Listener>>();

  function wake(id: string, change: SettlementChange): void {
    for (const listener of listeners.get(id) ?? []) listener.wake(change);
  }

  // One listener for all waits: a signal for each costs more than the rest of the wait.
  ending?.addEventListener("abort", () => {
    for (const listener of [...listeners.values()].flatMap((ofId) => [...ofId])) listener.end();
  });

  return {
    notify: (settlements: readonly Settlement[]) => {
      for (const settlement of settlements) wake(settlement.id, { settlement, isSent: false });
    },
    notifySent: (ids: readonly string[]) => {
      for (const id of ids) wake(id, { isSent: true });
    },
    has: (id: string) => listeners.has(id),
    ids: () => [...listeners.keys()],
    /** Ends when the goal is reached or after `timeoutMs`. */
    wait(id: string, goal: WaitGoal, timeoutMs: number): Waiting {
      const { promise, resolve } = Promise.withResolvers<Settlement | undefined>();
      const ofId = listeners.get(id) ?? new Set();
      listeners.set(id, ofId);
      const finish = (settlement?: Settlement) => {
        cancelTimeout();
        ofId.delete(listener);
        if (ofId.size === 0 && listeners.get(id) === ofId) listeners.delete(id);
        resolve(settlement);
      };
      const listener: Listener = {
        wake(change) {
          if (isReached(goal, change)) finish(change.settlement);
        },
        end: finish,
      };
      const cancelTimeout = callAfter(clock, ending?.aborted ? 0 : timeoutMs, finish);
      ofId.add(listener);
      return { done: promise, cancel: finish };
    },
  };
}

function isReached(goal: WaitGoal, { settlement, isSent }: SettlementChange): boolean {
  if (settlement && isSettled(settlement)) return true;
  return goal === "change" ? settlement !== undefined : goal === "broadcast" && isSent;
}
