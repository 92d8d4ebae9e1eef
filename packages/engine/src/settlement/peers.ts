/**
 * Peers: other processes on the same database. A process with a wallet sends what any of them
 * claimed, and callers that wait here are notified of outcomes recorded elsewhere. A peer that dies
 * loses nothing: its claims are in the store, which every process polls.
 */
import type { ChainId } from "@farthing/protocol";
import { warning, type Runtime } from "../base/log.ts";
import { startPoll } from "../base/poll.ts";
import { isSettled, type Settlement } from "../model/settlement.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { OutcomeTracker } from "./outcome-tracker.ts";
import type { Waiters } from "./waiters.ts";

/** Pause between polls for unassigned claims. */
const pollMs = 1_000;

/** A claim of this age should have a wallet: any wallet with room takes it in far less. */
const unassignedAfterMs = 2_000;

/** With a free wallet a peer needs a few ms for its own claim; a random part keeps takers apart. */
const takeOverPauseMs = 40;

/** Claims of one poll: a few batches. */
const claimsMax = 200;

interface PeerDeps extends Runtime {
  readonly store: EngineStore;
  readonly waiters: Waiters;
  readonly networks: ReadonlyMap<
    ChainId,
    {
      readonly relayer: Relayer;
      readonly outcomes: OutcomeTracker;
      onReconnected(): Promise<void>;
    }
  >;
}

type TakeOverCursors = Map<string, number>;

/** Listens to notifications and polls; returns the function that stops both. */
export function startPeerListener(deps: PeerDeps): () => Promise<void> {
  const { store, clock, log, waiters, networks } = deps;
  const stopping = new AbortController();
  const repeatLater = warning(
    log,
    { event: "peer_changes_not_read" },
    "Changes by peers not read; retrying with the next poll",
  );
  let isScheduled = false;
  /** Where the next poll for unassigned claims begins, by chain and class. */
  const cursors: TakeOverCursors = new Map();

  /** Takes over unassigned claims of some age on networks where this process may. */
  async function takeOver(ageMs: number, mayTake: (relayer: Relayer) => boolean): Promise<void> {
    const olderThan = clock.nowMs() - ageMs;
    for (const [chainId, { relayer }] of networks) {
      if (!mayTake(relayer)) continue;
      for (const isKeyed of [true, false]) {
        await takeOverClass(deps, cursors, { chainId, olderThan, isKeyed }).catch(repeatLater);
      }
    }
  }

  /** Schedules one poll for all claims that peers make within a moment. */
  function takeOverSoon(): void {
    if (isScheduled) return;
    isScheduled = true;
    const pauseMs = takeOverPauseMs * (1 + Math.random());
    void clock.sleep(pauseMs, stopping.signal).then(() => {
      isScheduled = false;
      return takeOver(takeOverPauseMs, (relayer) => relayer.isSpare());
    });
  }

  const unsubscribe = store.onChange(({ kind, ids }) => {
    if (kind === "sent") waiters.notifySent(ids);
    else if (kind === "queued") takeOverSoon();
    else if (kind === "unserved") void takeAssigned(deps, ids).catch(repeatLater);
    else if (ids.length > 0) void refresh(deps, relevantOf(deps, ids)).catch(repeatLater);
    else {
      // A new connection: notifications may have been lost, and commits where a standby took over.
      for (const { onReconnected } of networks.values()) void onReconnected();
      void refresh(deps, allIds(deps)).catch(repeatLater);
    }
  });

  // Also while this process is busy: the claimer of so old a claim may have no wallet at all.
  const polling = startPoll({ clock, pauseMs: pollMs }, () =>
    takeOver(unassignedAfterMs, (relayer) => relayer.isWorking()),
  );
  return async () => {
    unsubscribe();
    stopping.abort();
    await polling.stop();
  };
}

function openSets({ networks }: PeerDeps) {
  return [...networks.values()].map(({ outcomes }) => outcomes.openIds());
}

/** Keeps the ids that a caller waits for here, or whose outcome is open here. */
function relevantOf(deps: PeerDeps, ids: readonly string[]): string[] {
  const open = openSets(deps);
  return ids.filter((id) => deps.waiters.has(id) || open.some((set) => set.has(id)));
}

function allIds(deps: PeerDeps): string[] {
  return [...new Set([...deps.waiters.ids(), ...openSets(deps).flatMap((open) => [...open])])];
}

async function refresh(
  { store, networks, waiters }: PeerDeps,
  ids: readonly string[],
): Promise<void> {
  const changed: Settlement[] = [];
  for (const id of ids) {
    const settlement = await store.findSettlement(id);
    const network = settlement && networks.get(settlement.chainId);
    if (!settlement || !network) continue;
    network.outcomes.observe(settlement);
    if (settlement.state !== "queued") network.relayer.forget(new Set([id]));
    if (isSettled(settlement)) network.relayer.onSettled([id]);
    changed.push(settlement);
  }
  waiters.notify(changed);
}

/** Continues where the last poll of this class ended, so a long backlog hides nothing behind it. */
async function takeOverClass(
  deps: PeerDeps,
  cursors: TakeOverCursors,
  { chainId, olderThan, isKeyed }: { chainId: ChainId; olderThan: number; isKeyed: boolean },
) {
  const key = `${chainId} ${isKeyed}`;
  const from = cursors.get(key) ?? 0;
  const limit = claimsMax;
  const found = await deps.store.listUnassigned({ chainId, olderThan, limit, from, isKeyed });
  const last = found.at(-1)?.createdAt ?? 0;
  // A page whose claims are all of one moment is passed; the next round finds the rest of them.
  if (found.length < limit) cursors.delete(key);
  else cursors.set(key, last > from ? last : from + 1);
  enqueue(deps, found, await deps.store.findRevertedTwice(found.map(({ id }) => id)));
}

/** Takes over claims of a process without wallets whose ids assign them to this process. */
async function takeAssigned(deps: PeerDeps, ids: readonly string[]): Promise<void> {
  const { store, networks } = deps;
  // An id does not name its network, so the store is read only if some relayer could be meant.
  const own = ids.filter((id) => [...networks.values()].some(({ relayer }) => relayer.isFor(id)));
  if (own.length === 0) return;
  const found = await store.listUnassigned({ ids: own });
  const assigned = found.filter(({ id, chainId }) => networks.get(chainId)?.relayer.isFor(id));
  enqueue(deps, assigned);
}

function enqueue(
  { networks }: PeerDeps,
  settlements: readonly Settlement[],
  alone: ReadonlySet<string> = new Set(),
) {
  for (const settlement of settlements) {
    const network = networks.get(settlement.chainId);
    if (!network?.relayer.hasRoom(settlement)) continue;
    network.outcomes.observe(settlement);
    // The claiming process simulated it just before.
    const simulatedAt = settlement.createdAt;
    const goesAlone = alone.has(settlement.id);
    network.relayer.enqueue({ settlement, simulatedAt, isPossiblyTaken: true, goesAlone });
  }
}
