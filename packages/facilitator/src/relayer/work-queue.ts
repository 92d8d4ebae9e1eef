/**
 * Settlements that wait for a wallet, and how they get onto one. What waits together goes out
 * together: an idle relayer sends a single payment at once, a loaded one fills batches. Contract
 * payers go alone, since their wallets' code runs in our transaction.
 */
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import type { Store } from "../storage/store.ts";
import { batchPlans, dropFailing, type BatchSettings } from "./batch.ts";
import type { Lane } from "./lane.ts";
import { prepare, type Judgement, type PrepareDeps, type QueuedSettlement } from "./prepare.ts";

/** Settlements that may wait for a wallet: a minute of one wallet's batches. */
export const queueMax = 5_000;

/** How long a batch gathers while all wallets are busy: an eightieth of the 2 s block period. */
const gatherMs = 25;

/** What happens to a settlement that is not sent. */
export interface QueueEvents {
  /** The transfer would fail, as a block says; it was not signed. */
  onRefused(settlement: Settlement, judgement: Judgement): Promise<void>;
}

/** The queue of a relayer. */
export interface WorkQueue {
  /** Whether one more settlement may be claimed now. */
  hasRoom(): boolean;
  /** Takes a settlement in, unless it is in already. */
  enqueue(queued: QueuedSettlement): void;
  /** Lets go of settlements that another process carries. */
  forget(ids: ReadonlySet<string>): void;
  /** Gives work to lanes that have room; `withDelayed` takes up what was put off as well. */
  dispatch(withDelayed?: boolean): void;
  size(): number;
  /** Takes no more up and waits for what is being carried. */
  stop(): Promise<void>;
}

/** What the queue works with. */
export interface WorkQueueDeps extends PrepareDeps {
  readonly store: Pick<Store, "findUnassigned">;
  readonly log: Log;
  readonly events: QueueEvents;
  readonly lanes: readonly Lane[];
  /** Undefined while batching is off or the network has no Multicall3. */
  batching(): BatchSettings | undefined;
}

/** Creates the queue. */
export function createWorkQueue(deps: WorkQueueDeps): WorkQueue {
  const { log, events, lanes } = deps;
  const { chainId } = deps.chain.network;
  /** Slots promised to settlements that are being prepared. */
  const promised = new Map<Lane, number>(lanes.map((lane) => [lane, 0]));
  const working = new Set<Promise<void>>();
  let queue: QueuedSettlement[] = [];
  /** Put off, by settlement: taken up again with the next tick. */
  const delayed = new Map<string, QueuedSettlement>();
  /** Everything that waits, is put off or is being carried: each settlement is in once. */
  const known = new Set<string>();
  let isScheduled = false;
  let isStopping = false;

  function roomOf(lane: Lane): number {
    return lane.room() - (promised.get(lane) ?? 0);
  }

  function laneWithRoom(): Lane | undefined {
    if (isStopping) return undefined;
    return lanes.reduce<Lane | undefined>(
      (best, next) => (roomOf(next) > (best ? roomOf(best) : 0) ? next : best),
      undefined,
    );
  }

  function dispatch(): void {
    isScheduled = false;
    for (let lane = laneWithRoom(); lane && queue.length > 0; lane = laneWithRoom()) {
      const group = takeGroup();
      promised.set(lane, (promised.get(lane) ?? 0) + 1);
      const work = carry(lane, group).finally(() => working.delete(work));
      working.add(work);
    }
  }

  /** The oldest claim goes first, also when it comes from a process that could not carry it. */
  function placeOf({ settlement }: QueuedSettlement): number {
    return queue.findLastIndex((other) => other.settlement.createdAt <= settlement.createdAt) + 1;
  }

  /** What one transaction carries: a contract payer, or the plain payers that wait, up to a batch. */
  function takeGroup(): QueuedSettlement[] {
    const most = deps.batching()?.paymentsMax ?? 1;
    const [first, ...rest] = queue;
    if (!first) return [];
    if (first.settlement.payerHasCode || most === 1) {
      queue = rest;
      return [first];
    }
    const group = queue.filter(({ settlement }) => !settlement.payerHasCode).slice(0, most);
    const taken = new Set(group);
    queue = queue.filter((queued) => !taken.has(queued));
    return group;
  }

  async function carry(lane: Lane, group: readonly QueuedSettlement[]): Promise<void> {
    let waiting = group;
    try {
      const free = await stillFree(group);
      const plans = (await Promise.all(free.map(prepareOne))).filter((plan) => plan !== undefined);
      const planned = new Set(plans.flatMap(({ settlementIds }) => settlementIds));
      waiting = free.filter(({ settlement }) => planned.has(settlement.id));
      const ready = await fitTogether(lane, plans, waiting);
      const carried = ready.length > 0 ? await lane.submit(ready) : new Set<string>();
      const sent = ready.flatMap(({ settlementIds }) => settlementIds);
      // A plan is left out as a whole when one of its settlements was taken: sort them out.
      if (carried.size < sent.length) contest(waiting, new Set(sent), carried);
    } catch (error) {
      log.warn(
        { chainId, problem: messageOf(error), settlements: waiting.length },
        "Settlements wait for another try",
      );
      // What did get a nonce is left out by the store when it is tried again.
      delay(waiting);
    } finally {
      promised.set(lane, (promised.get(lane) ?? 0) - 1);
      for (const { settlement } of group) {
        if (!delayed.has(settlement.id)) known.delete(settlement.id);
      }
      schedule();
    }
  }

  function contest(
    group: readonly QueuedSettlement[],
    sent: ReadonlySet<string>,
    carried: ReadonlySet<string>,
  ): void {
    for (const { settlement } of group) {
      const { id } = settlement;
      if (!sent.has(id) || carried.has(id)) continue;
      delayed.set(id, { settlement, simulatedAt: 0, isContested: true });
    }
  }

  /** Leaves out what another process has taken. */
  async function stillFree(
    group: readonly QueuedSettlement[],
  ): Promise<readonly QueuedSettlement[]> {
    if (!group.some(({ isContested }) => isContested)) return group;
    const unassigned = await deps.store.findUnassigned(
      group.map(({ settlement }) => settlement.id),
    );
    const free = new Set(unassigned.map(({ id }) => id));
    return group.filter(({ settlement }) => free.has(settlement.id));
  }

  /** One transaction for all that can go together; the others wait until these are mined. */
  async function fitTogether(
    lane: Lane,
    plans: readonly TransactionPlan[],
    group: readonly QueuedSettlement[],
  ): Promise<TransactionPlan[]> {
    const settings = deps.batching();
    if (!settings || plans.length < 2) return [...plans];
    const { kept, dropped } = hasPayerTwice(group)
      ? await dropFailing(deps.chain, lane.signer.address, plans, settings)
      : { kept: [...plans], dropped: [] };
    const [batch, ...others] = batchPlans(kept, sizeFor(lane, kept, settings));
    // More than one transaction has room for: the lane has one slot for this group.
    const left = new Set([...dropped, ...others.flatMap(({ settlementIds }) => settlementIds)]);
    delay(group.filter(({ settlement }) => left.has(settlement.id)));
    return batch ? [batch] : [];
  }

  async function prepareOne(queued: QueuedSettlement): Promise<TransactionPlan | undefined> {
    try {
      const preparation = await prepare(queued, deps);
      if (preparation.kind === "plan") return preparation.plan;
      if (preparation.kind === "wait") delayed.set(queued.settlement.id, queued);
      // One that comes too late is not sent; it ends when its time is over on chain.
      if (preparation.kind === "refused") {
        await events.onRefused(queued.settlement, preparation);
      }
    } catch (error) {
      const { id } = queued.settlement;
      log.warn({ chainId, settlementId: id, problem: messageOf(error) }, "Settlement put off");
      delayed.set(id, queued);
    }
    return undefined;
  }

  /** Simulated afresh when it is taken up again. */
  function delay(group: readonly QueuedSettlement[]): void {
    for (const { settlement } of group) {
      delayed.set(settlement.id, { settlement, simulatedAt: 0 });
    }
  }

  /**
   * Once per turn of the event loop, so that what is claimed together goes out together. While
   * every wallet has something on its way, a batch may gather for a moment: slots are few, and
   * the block that takes it is further away than that.
   */
  function schedule(): void {
    if (isScheduled || queue.length === 0) return;
    isScheduled = true;
    const most = deps.batching()?.paymentsMax ?? 1;
    const isBusy = lanes.every((lane) => lane.slots().length + (promised.get(lane) ?? 0) > 0);
    if (isBusy && queue.length < most) void deps.clock.sleep(gatherMs).then(dispatch);
    else setImmediate(dispatch);
  }

  return {
    hasRoom: () => queue.length + delayed.size < queueMax,
    enqueue(queued) {
      const { id } = queued.settlement;
      if (known.has(id)) return;
      known.add(id);
      queue.splice(placeOf(queued), 0, queued);
      schedule();
    },
    forget(ids) {
      queue = queue.filter(({ settlement }) => !ids.has(settlement.id));
      for (const id of ids) {
        delayed.delete(id);
        known.delete(id);
      }
    },
    dispatch(withDelayed = false) {
      if (withDelayed) {
        queue.push(...delayed.values());
        delayed.clear();
      }
      dispatch();
    },
    size: () => queue.length + delayed.size,
    async stop() {
      isStopping = true;
      await Promise.all(working);
    },
  };
}

/** Two payments of one payer may each pass alone and not both: his balance decides. */
function hasPayerTwice(group: readonly QueuedSettlement[]): boolean {
  return new Set(group.map(({ settlement }) => settlement.payer)).size < group.length;
}

/** A wallet that is nearly empty carries as much as it can pay for. */
function sizeFor(lane: Lane, plans: readonly TransactionPlan[], settings: BatchSettings) {
  const [whole] = batchPlans(plans, settings);
  return whole && !lane.canAfford(whole) ? { ...settings, paymentsMax: 1 } : settings;
}
