/**
 * Other processes on the same database. Whoever works a wallet carries what any of them claimed,
 * and whoever waits hears of what any of them found out. Nothing is lost when one dies: what it
 * claimed lies in the store, and is looked for now and then.
 */
import type { ChainId } from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { isSettled, type Settlement } from "../model/settlement.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { OutcomeBook } from "./outcome-book.ts";
import type { Waiters } from "./waiters.ts";

/** Pause between looks for claims that nobody carries. */
const sweepMs = 1_000;

/** Age of a claim that somebody should carry by now: any wallet with room takes it in far less. */
const unassignedAfterMs = 2_000;

/**
 * How long another process has for its own claim before ones with room take it over: a claimer
 * with a free wallet needs a few milliseconds. Chance spreads the takers.
 */
const newsPauseMs = 40;

/** Claims taken up in one look: a few batches. */
const takeUpMax = 200;

/** What one process knows of a network. */
export interface LocalNetwork {
  readonly relayer: Relayer;
  readonly book: OutcomeBook;
}

/** What listening to neighbours needs. */
export interface NeighbourDeps {
  readonly store: EngineStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly waiters: Waiters;
  readonly networks: ReadonlyMap<ChainId, LocalNetwork>;
}

/** Starts listening; gives what ends it. */
export function listenToNeighbours(deps: NeighbourDeps): () => Promise<void> {
  const { store, clock, log, waiters, networks } = deps;
  const stopping = new AbortController();
  let isTakingUp = false;
  /** Where the next look for unassigned claims begins, by chain and class. */
  const places = new Map<string, number>();

  /** What this process cares about: somebody waits for it here, or its outcome is open here. */
  function concerned(ids: readonly string[]): string[] {
    const open = [...networks.values()].map(({ book }) => book.openIds());
    return ids.filter((id) => waiters.has(id) || open.some((set) => set.has(id)));
  }

  async function refresh(ids: readonly string[]): Promise<void> {
    const moved: Settlement[] = [];
    for (const id of ids) {
      const settlement = await store.findSettlement(id);
      const at = settlement && networks.get(settlement.chainId);
      if (!settlement || !at) continue;
      at.book.track(settlement);
      if (settlement.state !== "queued") at.relayer.forget(new Set([id]));
      if (isSettled(settlement)) at.relayer.onSettled([id]);
      moved.push(settlement);
    }
    waiters.notify(moved);
  }

  /** Takes up claims of some age that nobody carries, where wallets here may. */
  async function takeUp(ageMs: number, mayTake: (relayer: Relayer) => boolean): Promise<void> {
    const olderThan = clock.nowMs() - ageMs;
    for (const [chainId, { relayer }] of networks) {
      if (!mayTake(relayer)) continue;
      for (const isKeyed of [true, false]) {
        await guarded(() => takeUpOf(chainId, { olderThan, isKeyed }));
      }
    }
  }

  /**
   * Each look goes on where the last one ended, by class: however many wait of one kind, what is
   * behind them is found too.
   */
  async function takeUpOf(
    chainId: ChainId,
    { olderThan, isKeyed }: { readonly olderThan: number; readonly isKeyed: boolean },
  ): Promise<void> {
    const place = `${chainId} ${isKeyed}`;
    const from = places.get(place) ?? 0;
    const limit = takeUpMax;
    const found = await store.listUnassigned({ chainId, olderThan, limit, from, isKeyed });
    const last = found.at(-1)?.createdAt ?? 0;
    // A whole page of one moment is passed by; the next round finds what is behind it.
    if (found.length < limit) places.delete(place);
    else places.set(place, last > from ? last : from + 1);
    enqueue(found, await store.findRevertedTwice(found.map(({ id }) => id)));
  }

  /** Takes up claims of a process without wallets, as far as they fall to this one. */
  async function serve(ids: readonly string[]): Promise<void> {
    // Which network an id is of is known only then; to most processes it is of no concern at all.
    const own = ids.filter((id) => [...networks.values()].some(({ relayer }) => relayer.isFor(id)));
    if (own.length === 0) return;
    await guarded(async () => {
      const found = await store.listUnassigned({ ids: own });
      enqueue(found.filter(({ id, chainId }) => networks.get(chainId)?.relayer.isFor(id)));
    });
  }

  function enqueue(
    settlements: readonly Settlement[],
    alone: ReadonlySet<string> = new Set(),
  ): void {
    for (const settlement of settlements) {
      const at = networks.get(settlement.chainId);
      if (!at?.relayer.hasRoom(settlement)) continue;
      at.book.track(settlement);
      // What was claimed was simulated just before.
      const simulatedAt = settlement.createdAt;
      const goesAlone = alone.has(settlement.id);
      at.relayer.enqueue({ settlement, simulatedAt, isPossiblyTaken: true, goesAlone });
    }
  }

  async function sweep(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Not only when there is nothing else to do: who waits that long may have no wallet at all.
      await takeUp(unassignedAfterMs, (relayer) => relayer.isWorking());
      await clock.sleep(sweepMs, stopping.signal);
    }
  }

  /** One look for all the claims that others make within a moment. */
  function takeUpSoon(): void {
    if (isTakingUp) return;
    isTakingUp = true;
    const pause = newsPauseMs * (1 + Math.random());
    void clock.sleep(pause, stopping.signal).then(() => {
      isTakingUp = false;
      return takeUp(newsPauseMs, (relayer) => relayer.isSpare());
    });
  }

  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn({ problem: messageOf(error) }, "Could not hear what other processes did");
    }
  }

  const unlisten = store.onChange(({ kind, ids }) => {
    if (kind === "sent") waiters.notifySent(ids);
    else if (kind === "queued") takeUpSoon();
    else if (kind === "unserved") void serve(ids);
    else if (ids.length > 0) void guarded(() => refresh(concerned(ids)));
    else void guarded(() => refresh(everything()));
  });

  /** After news may have been missed. */
  function everything(): string[] {
    const open = [...networks.values()].flatMap(({ book }) => [...book.openIds()]);
    return [...new Set([...waiters.ids(), ...open])];
  }

  const sweeping = sweep();
  return async () => {
    unlisten();
    stopping.abort();
    await sweeping;
  };
}
