/**
 * Counts pending transactions by kind; the fair queue divides them among keyed and keyless callers, and
 * among payments that go alone and those that are batched.
 */
import { steadyClockOf, type Clock } from "../base/clock.ts";
import type { QueueGroup, TransactionUse } from "./fair-queue.ts";
import type { NonceManager } from "./wallet-nonces.ts";
import type { QueuedSettlement } from "./prepare.ts";

type Kind = Pick<QueueGroup<QueuedSettlement>, "isKeyed" | "isAlone">;

export type UseTracker = ReturnType<typeof trackUse>;

/** After a minute without keyed callers nothing is kept free for them. */
const keyedQuietMs = 60_000;

export function trackUse(deps: {
  readonly managers: readonly NonceManager[];
  readonly inFlightMax: number;
  readonly clock: Clock;
}) {
  const clock = steadyClockOf(deps.clock);
  let keyedAtMs = Number.NEGATIVE_INFINITY;
  const preparing = new Set<QueueGroup<QueuedSettlement>>();
  /** The kind of each carried settlement's transaction. */
  let kinds = new Map<string, Kind>();

  /** Transactions signed before this start have no known kind. */
  function kindsOnTheirWay(): Kind[] {
    const still = new Map<string, Kind>();
    const found: Kind[] = [];
    for (const manager of deps.managers) {
      const isCounted = manager.canWork();
      for (const { attempts, isUsedUp } of manager.pendingNonces()) {
        const ids = attempts[0]?.settlementIds ?? [];
        const kind = kinds.get(ids[0] ?? "");
        if (!kind) continue;
        for (const id of ids) still.set(id, kind);
        if (isCounted && !isUsedUp) found.push(kind);
      }
    }
    kinds = still;
    return found;
  }

  return {
    now(): TransactionUse {
      const all = [...kindsOnTheirWay(), ...preparing];
      const keyless = all.filter(({ isKeyed }) => !isKeyed);
      return {
        capacity: deps.managers.filter((manager) => manager.canWork()).length * deps.inFlightMax,
        keyless: keyless.length,
        alone: countAlone(all),
        keylessAlone: countAlone(keyless),
        hasKeyedCallers: clock.nowMs() - keyedAtMs < keyedQuietMs,
      };
    },
    noteKeyed() {
      keyedAtMs = clock.nowMs();
    },
    /** A group is being prepared; call `end` when it has its transaction, or none. */
    begin: (group: QueueGroup<QueuedSettlement>) => void preparing.add(group),
    end(group: QueueGroup<QueuedSettlement>) {
      preparing.delete(group);
      const { isKeyed, isAlone } = group;
      for (const { settlement } of group.values) kinds.set(settlement.id, { isKeyed, isAlone });
    },
  };
}

function countAlone(kinds: readonly Kind[]): number {
  return kinds.filter(({ isAlone }) => isAlone).length;
}
