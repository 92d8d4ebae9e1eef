/**
 * What all processes of the service together know of its availability and its latency, for the status
 * page. Each process adds what it has seen, once a minute: minutes are bits and settlements are counts,
 * so that no process has to know of the others. A minute in which none ran stays unmeasured.
 */
import { startPoll, warning, type Runtime } from "@farthing/engine/base";
import type { ChainId, Network } from "@farthing/protocol";
import type { ReadyCheck } from "./ready-check.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Minutes of a slot: as many bits as both databases and JavaScript keep in a whole number. */
export const slotMinutes = 30;

/** The days of availability that are shown and kept: a quarter, which is 4,320 rows a network. */
export const daysKept = 90;

/** The hours of latency that are shown and kept: a day, which is 325 rows a network at most. */
export const hoursKept = 24;

/**
 * The upper bounds, in seconds, by which settlements are counted. A block takes two, and XDC may pause
 * for a minute. What took longer than the last one is counted as `longer`.
 */
export const latencyBounds = [1, 2, 3, 4, 6, 8, 12, 20, 30, 60, 120, 300] as const;
export const longer = 0;

/** The minutes of half an hour, as bits from the lowest on. */
export interface AvailabilitySlot {
  /** Half hours since 1970. */
  readonly slot: number;
  /** Minutes in which a process looked. */
  readonly looked: number;
  /** Minutes in which a process found the network usable in each of its looks. */
  readonly available: number;
}

/** Settlements confirmed in an hour within a bound. */
export interface LatencyCount {
  /** Hours since 1970. */
  readonly hour: number;
  /** One of {@link latencyBounds}, or {@link longer}. */
  readonly within: number;
  readonly settlements: number;
}

export interface HistoryPart {
  readonly availability: readonly AvailabilitySlot[];
  readonly latency: readonly LatencyCount[];
}

export interface ServiceHistoryStore {
  /** Adds to what is kept of a network, and removes what is older than the slot and the hour. */
  addServiceHistory(
    chainId: ChainId,
    part: HistoryPart,
    oldest: { readonly slot: number; readonly hour: number },
  ): Promise<void>;
  readServiceHistory(chainId: ChainId): Promise<HistoryPart>;
}

/** However many visitors there are, the database is asked for the history this often. */
const readEveryMs = minuteMs;

/** Slots that wait while the database takes no writes: a day of each network. */
const waitingSlotsMax = 48;

export type ServiceHistory = ReturnType<typeof createServiceHistory>;

interface HistoryDeps extends Runtime {
  readonly store: ServiceHistoryStore;
  readonly networks: readonly { readonly network: Network }[];
}

export function createServiceHistory(deps: HistoryDeps) {
  const { store, networks, clock, log } = deps;
  const waiting = new Map<ChainId, WaitingPart>();
  let looks: { readonly minute: number; readonly usable: Map<ChainId, boolean> } | undefined;
  let kept: { readonly at: number; readonly parts: Promise<ReadonlyMap<ChainId, HistoryPart>> };

  function waitingOf(chainId: ChainId): WaitingPart {
    const part = waiting.get(chainId) ?? { slots: new Map(), counts: new Map() };
    waiting.set(chainId, part);
    return part;
  }

  /** Puts the looks of a minute among what waits. */
  function endMinute(): void {
    if (!looks) return;
    const slot = Math.floor(looks.minute / slotMinutes);
    const bit = 2 ** (looks.minute % slotMinutes);
    for (const [chainId, isUsable] of looks.usable) {
      const { slots } = waitingOf(chainId);
      const { looked = 0, available = 0 } = slots.get(slot) ?? {};
      slots.set(slot, { slot, looked: looked | bit, available: available | (isUsable ? bit : 0) });
      // What was put back after a failed write stands behind newer ones.
      while (slots.size > waitingSlotsMax) slots.delete(Math.min(...slots.keys()));
    }
    looks = undefined;
  }

  /** Adds what waits; it waits on while the database takes no writes. */
  async function write(): Promise<void> {
    const now = clock.nowMs();
    const slot = Math.floor((now - daysKept * dayMs) / (slotMinutes * minuteMs));
    const hour = Math.floor(now / hourMs) - hoursKept;
    for (const [chainId, { slots, counts }] of waiting) {
      waiting.delete(chainId);
      const part = { availability: [...slots.values()], latency: [...counts.values()] };
      try {
        await store.addServiceHistory(chainId, part, { slot, hour });
      } catch (error) {
        putBack(waitingOf(chainId), { slots, counts });
        throw error;
      }
    }
  }

  const failed = warning(
    log,
    { event: "service_history_failed" },
    "History of the service not written; trying again in a minute",
  );

  return {
    /** Takes a look at the checks of /ready. */
    note(checks: readonly ReadyCheck[]): void {
      const minute = Math.floor(clock.nowMs() / minuteMs);
      if (looks && looks.minute !== minute) endMinute();
      looks ??= { minute, usable: new Map() };
      for (const { network } of networks) {
        const { id, chainId } = network;
        const isUsable = checks.every(({ name, ok }) => ok || (name !== "database" && name !== id));
        looks.usable.set(chainId, (looks.usable.get(chainId) ?? true) && isUsable);
      }
    },
    /** Takes the time from the claim of a settlement to its confirmation. */
    noteSettled(chainId: ChainId, seconds: number): void {
      const hour = Math.floor(clock.nowMs() / hourMs);
      const within = latencyBounds.find((bound) => seconds <= bound) ?? longer;
      const { counts } = waitingOf(chainId);
      addCount(counts, { hour, within, settlements: 1 });
    },
    /** By network; empty where nothing is kept yet. */
    read(): Promise<ReadonlyMap<ChainId, HistoryPart>> {
      const now = clock.nowMs();
      // A clock that is set back must not keep an old history.
      if (!kept || now - kept.at >= readEveryMs || now < kept.at) {
        kept = { at: now, parts: readAll(deps) };
      }
      return kept.parts;
    },
    start(): { stop(): Promise<void> } {
      const poll = startPoll({ clock, pauseMs: minuteMs, isDelayed: true }, () =>
        write().catch(failed),
      );
      return {
        async stop() {
          await poll.stop();
          endMinute();
          await write().catch(failed);
        },
      };
    },
  };
}

interface WaitingPart {
  readonly slots: Map<number, AvailabilitySlot>;
  readonly counts: Map<string, LatencyCount>;
}

function addCount(counts: WaitingPart["counts"], added: LatencyCount): void {
  const key = `${added.hour}/${added.within}`;
  const settlements = (counts.get(key)?.settlements ?? 0) + added.settlements;
  counts.set(key, { ...added, settlements });
}

/** What was noted since is added to what waits again. */
function putBack(now: WaitingPart, before: WaitingPart): void {
  for (const slot of before.slots.values()) {
    const { looked = 0, available = 0 } = now.slots.get(slot.slot) ?? {};
    now.slots.set(slot.slot, {
      slot: slot.slot,
      looked: slot.looked | looked,
      available: slot.available | available,
    });
  }
  for (const count of before.counts.values()) addCount(now.counts, count);
}

/** A page without a history is better than none: the database may be what fails. */
async function readAll({ store, networks, log }: HistoryDeps) {
  const fields = { event: "service_history_unread" };
  const failed = warning(log, fields, "History of the service not read for the status page");
  const parts = new Map<ChainId, HistoryPart>();
  for (const { network } of networks) {
    const { chainId } = network;
    const part = await store.readServiceHistory(chainId).catch(failed);
    if (part) parts.set(chainId, part);
  }
  return parts;
}
