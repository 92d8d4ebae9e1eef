/** Who waits for a settlement to change. Nothing polls: a change wakes those who wait for it. */
import type { Clock } from "../base/clock.ts";
import { isSettled, type Settlement } from "../model/settlement.ts";

/** Something that happened to a settlement. */
export interface SettlementChange {
  /** Absent when only the sending is news. */
  readonly settlement?: Settlement;
  /** A node has the transaction's bytes. */
  readonly isSent: boolean;
}

/** What somebody waits for. */
export type WaitGoal =
  /** A node has the bytes, or the outcome is known. */
  | "broadcast"
  | "outcome"
  /** Anything new. */
  | "change";

/** Waiting and waking. */
export interface Waiters {
  notify(settlements: readonly Settlement[]): void;
  notifySent(ids: readonly string[]): void;
  /** Whether somebody waits for a settlement here. */
  has(id: string): boolean;
  /** Everything that is waited for here. */
  ids(): readonly string[];
  /** Ends when the goal is reached or after `timeoutMs`. */
  wait(id: string, goal: WaitGoal, timeoutMs: number): Waiting;
}

/** A wait that has begun; ask for it before starting what it waits for, and nothing is missed. */
export interface Waiting {
  /** Gives the settlement as it became; undefined where the caller must look for himself. */
  readonly done: Promise<Settlement | undefined>;
  cancel(): void;
}

/** Why a wait's timer is stopped. */
const over = "over";

/** Creates the waiters of a process. */
export function createWaiters(clock: Clock): Waiters {
  const listeners = new Map<string, Set<(change: SettlementChange) => void>>();

  function tell(id: string, change: SettlementChange): void {
    for (const listener of listeners.get(id) ?? []) listener(change);
  }

  return {
    notify: (settlements) => {
      for (const settlement of settlements) tell(settlement.id, { settlement, isSent: false });
    },
    notifySent: (ids) => {
      for (const id of ids) tell(id, { isSent: true });
    },
    has: (id) => listeners.has(id),
    ids: () => [...listeners.keys()],
    wait(id, goal, timeoutMs) {
      const { promise, resolve } = Promise.withResolvers<Settlement | undefined>();
      const timeout = new AbortController();
      const ofId = listeners.get(id) ?? new Set();
      listeners.set(id, ofId);
      const finish = (settlement?: Settlement) => {
        // With a reason, since making the default one costs more than the wait.
        timeout.abort(over);
        ofId.delete(listener);
        if (ofId.size === 0 && listeners.get(id) === ofId) listeners.delete(id);
        resolve(settlement);
      };
      const listener = (change: SettlementChange) => {
        if (isReached(goal, change)) finish(change.settlement);
      };
      ofId.add(listener);
      void clock.sleep(timeoutMs, timeout.signal).then(() => finish());
      return { done: promise, cancel: () => finish() };
    },
  };
}

function isReached(goal: WaitGoal, { settlement, isSent }: SettlementChange): boolean {
  if (settlement && isSettled(settlement)) return true;
  return goal === "change" ? settlement !== undefined : goal === "broadcast" && isSent;
}
