/**
 * What the transactions on their way were taken up for: the fair queue shares them out among keyed
 * and keyless callers, and among payments that go alone and those that go together.
 */
import { steadyClockOf, type Clock } from "../base/clock.ts";
import type { QueueGroup, TransactionUse } from "./fair-queue.ts";
import type { NonceManager } from "./wallet-nonces.ts";
import type { QueuedSettlement } from "./prepare.ts";

type Kind = Pick<QueueGroup<QueuedSettlement>, "isKeyed" | "isAlone">;

/** Follows the use of a relayer's wallets. */
export interface UseTracker {
  now(): TransactionUse;
  /** A keyed caller's settlement came in. */
  noteKeyed(): void;
  /** A group is being prepared; `end` when it has its transaction, or none. */
  begin(group: QueueGroup<QueuedSettlement>): void;
  end(group: QueueGroup<QueuedSettlement>): void;
}

/** A service without keyed callers for a minute keeps nothing free for them. */
const keyedQuietMs = 60_000;

/** Creates the tracker. */
export function trackUse(deps: {
  readonly lanes: readonly NonceManager[];
  readonly inFlightMax: number;
  readonly clock: Clock;
}): UseTracker {
  const clock = steadyClockOf(deps.clock);
  let keyedAtMs = Number.NEGATIVE_INFINITY;
  const preparing = new Set<QueueGroup<QueuedSettlement>>();
  /** Kinds of the transactions on their way, by each settlement that they carry. */
  let kinds = new Map<string, Kind>();

  /** What was signed before this start is of no known kind, and leaves by and by. */
  function kindsOnTheirWay(): Kind[] {
    const still = new Map<string, Kind>();
    const found: Kind[] = [];
    for (const lane of deps.lanes) {
      const isCounted = lane.canWork();
      for (const { attempts, isUsedUp } of lane.slots()) {
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
    now() {
      const all = [...kindsOnTheirWay(), ...preparing];
      const keyless = all.filter(({ isKeyed }) => !isKeyed);
      return {
        capacity: deps.lanes.filter((lane) => lane.canWork()).length * deps.inFlightMax,
        keyless: keyless.length,
        alone: countAlone(all),
        keylessAlone: countAlone(keyless),
        hasKeyedCallers: clock.nowMs() - keyedAtMs < keyedQuietMs,
      };
    },
    noteKeyed() {
      keyedAtMs = clock.nowMs();
    },
    begin: (group) => void preparing.add(group),
    end(group) {
      preparing.delete(group);
      const { isKeyed, isAlone } = group;
      for (const { settlement } of group.values) kinds.set(settlement.id, { isKeyed, isAlone });
    },
  };
}

function countAlone(kinds: readonly Kind[]): number {
  return kinds.filter(({ isAlone }) => isAlone).length;
}
