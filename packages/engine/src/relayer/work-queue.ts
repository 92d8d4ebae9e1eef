/**
 * How settlements that wait get onto a wallet; which of them go next, fair-queue.ts says. What waits
 * together goes out together: an idle relayer sends a single payment at once, a loaded one fills
 * batches. Contract payers go alone, since their wallets' code runs in our transaction.
 */
import type { Address } from "@farthing/protocol";
import { createBatcher } from "../base/batcher.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import { batchPlans, dropFailing, type BatchSettings } from "./batch.ts";
import { FairQueue, type QueueGroup } from "./fair-queue.ts";
import type { NonceManager } from "./wallet-nonces.ts";
import { prepare, type Judgement, type PrepareDeps, type QueuedSettlement } from "./prepare.ts";
import { trackUse } from "./transaction-use.ts";
import { waitingMax, type Guest } from "./queue-capacity.ts";

/**
 * After this a payment of a contract wallet no longer counts as on its way although nobody told its
 * end: longer than authorizations usually run. The store counts them too before a nonce is taken.
 */
const endUnheardMs = 10 * 60_000;

/** How long a batch gathers while all wallets are busy: an eightieth of the 2 s block period. */
const gatherMs = 25;

/** Payers looked up in one statement, and those that may wait for it: more than may wait to be sent. */
const lookUps = { itemsMax: 200, inFlightMax: 1, waitingMax: 2 * waitingMax };

/** What happens to a settlement that is not sent. */
export interface QueueEvents {
  /** The transfer would fail, as a block says; it was not signed. */
  onRefused(settlement: Settlement, judgement: Judgement): Promise<void>;
}

/** What a settlement's place in the queue depends on. */
export type Waiter = Pick<Settlement, "payer" | "payTo" | "owner" | "priority" | "payerHasCode">;

/** The queue of a relayer. */
export interface WorkQueue {
  /** Whether a settlement of this kind may be taken in now. */
  hasRoom(waiter: Waiter): boolean;
  /**
   * Keeps a place for a settlement that is about to be claimed; call what it returns once it is
   * enqueued, or was not claimed. Undefined when there is no room.
   */
  reserve(waiter: Waiter): (() => void) | undefined;
  /** Takes a settlement in, unless it is in already. */
  enqueue(queued: QueuedSettlement): void;
  /** Lets go of settlements that another process carries, or that have their outcome. */
  forget(ids: Iterable<string>): void;
  /** Gives work to lanes that have room; `withDelayed` takes up what was put off as well. */
  dispatch(withDelayed?: boolean): void;
  size(): number;
  /** Takes no more up and waits for what is being carried. */
  stop(): Promise<void>;
}

/** What the queue works with. */
export interface WorkQueueDeps extends PrepareDeps {
  readonly store: Pick<EngineStore, "listUnassigned" | "findPayerPauses" | "findProvenPayers">;
  readonly log: Log;
  readonly events: QueueEvents;
  readonly lanes: readonly NonceManager[];
  /** Transactions of one wallet that are on their way at most. */
  readonly inFlightMax: number;
  /** Undefined while batching is off or the network has no Multicall3. */
  batching(): BatchSettings | undefined;
}

type Group = QueueGroup<QueuedSettlement>;

/** Creates the queue. */
export function createWorkQueue(deps: WorkQueueDeps): WorkQueue {
  const { log, events, lanes, clock } = deps;
  const { chainId } = deps.chain.network;
  const queue = new FairQueue<QueuedSettlement>(deps.contractInFlightMax);
  const use = trackUse(deps);
  /** Slots promised to settlements that are being prepared. */
  const promised = new Map<NonceManager, number>(lanes.map((lane) => [lane, 0]));
  const working = new Set<Promise<void>>();
  const isProven = createBatcher<Address, boolean>({
    run: (payers) => deps.store.findProvenPayers(chainId, payers, clock.nowMs()),
    ...lookUps,
  });
  let isScheduled = false;
  let isStopping = false;

  function roomOf(lane: NonceManager): number {
    return lane.room() - (promised.get(lane) ?? 0);
  }

  function laneWithRoom(): NonceManager | undefined {
    if (isStopping) return undefined;
    return lanes.reduce<NonceManager | undefined>(
      (best, next) => (roomOf(next) > (best ? roomOf(best) : 0) ? next : best),
      undefined,
    );
  }

  function dispatch(): void {
    isScheduled = false;
    for (let lane = laneWithRoom(); lane && queue.readySize > 0; lane = laneWithRoom()) {
      const group = queue.take(use.now(), deps.batching()?.paymentsMax ?? 1);
      // What waits has its share on its way already.
      if (!group) return;
      promised.set(lane, (promised.get(lane) ?? 0) + 1);
      use.begin(group);
      const work = carry(lane, group).finally(() => working.delete(work));
      working.add(work);
    }
  }

  async function carry(lane: NonceManager, group: Group): Promise<void> {
    let waiting = group.values;
    let carried: ReadonlySet<string> = new Set();
    try {
      const free = await unpaused(await stillFree(group.values));
      const plans = await Promise.all(free.map((queued) => prepareOne(queued, lane)));
      const ready = plans.filter((plan) => plan !== undefined);
      const planned = new Set(ready.flatMap(({ settlementIds }) => settlementIds));
      waiting = free.filter(({ settlement }) => planned.has(settlement.id));
      const fitting = await fitTogether(lane, ready, waiting);
      if (fitting.length > 0) carried = await lane.submit(fitting);
      const sent = fitting.flatMap(({ settlementIds }) => settlementIds);
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
      use.end(group);
      for (const { settlement } of group.values) {
        if (carried.has(settlement.id)) queue.carry(settlement.id, clock.nowMs());
        else queue.drop(settlement.id);
      }
      schedule();
    }
  }

  function contest(
    group: readonly QueuedSettlement[],
    sent: ReadonlySet<string>,
    carried: ReadonlySet<string>,
  ): void {
    for (const queued of group) {
      const { id } = queued.settlement;
      if (!sent.has(id) || carried.has(id)) continue;
      putOff({ ...queued, simulatedAt: 0, isContested: true });
    }
  }

  /** Leaves out what another process has taken. */
  async function stillFree(
    group: readonly QueuedSettlement[],
  ): Promise<readonly QueuedSettlement[]> {
    if (!group.some(({ isContested }) => isContested)) return group;
    const unassigned = await deps.store.listUnassigned({
      ids: group.map(({ settlement }) => settlement.id),
    });
    const free = new Set(unassigned.map(({ id }) => id));
    return group.filter(({ settlement }) => free.has(settlement.id));
  }

  /** Leaves out payments of contract wallets that wait for their last reverts. */
  async function unpaused(
    group: readonly QueuedSettlement[],
  ): Promise<readonly QueuedSettlement[]> {
    const contracts = group.filter(({ settlement }) => settlement.payerHasCode);
    if (contracts.length === 0) return group;
    const payers = contracts.map(({ settlement }) => settlement.payer);
    const pauses = await deps.store.findPayerPauses(chainId, payers);
    const left = new Set<QueuedSettlement>();
    for (const [index, queued] of contracts.entries()) {
      const until = pauses[index]?.pausedUntilMs ?? 0;
      if (until <= clock.nowMs()) continue;
      queue.pause(guestOf(queued.settlement).payer, until);
      left.add(queued);
    }
    delay([...left]);
    return group.filter((queued) => !left.has(queued));
  }

  /** One transaction for all that can go together; the others wait until these are mined. */
  async function fitTogether(
    lane: NonceManager,
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

  async function prepareOne(
    queued: QueuedSettlement,
    { signer }: NonceManager,
  ): Promise<TransactionPlan | undefined> {
    try {
      const preparation = await prepare(queued, signer.address, deps);
      if (preparation.kind === "plan") return preparation.plan;
      if (preparation.kind === "wait") putOff(queued);
      // One that comes too late is not sent; it ends when its time is over on chain.
      if (preparation.kind === "refused") {
        await events.onRefused(queued.settlement, preparation);
      }
    } catch (error) {
      const { id } = queued.settlement;
      log.warn({ chainId, settlementId: id, problem: messageOf(error) }, "Settlement put off");
      putOff(queued);
    }
    return undefined;
  }

  /** Lets a contract wallet that has paid before go first; one that cannot be looked up waits its turn. */
  async function preferProven({ id, payer }: Settlement): Promise<void> {
    if (await isProven(payer).catch(() => false)) queue.prove(id);
  }

  /** Simulated afresh when it is taken up again. */
  function delay(group: readonly QueuedSettlement[]): void {
    for (const queued of group) putOff({ ...queued, simulatedAt: 0 });
  }

  function putOff(queued: QueuedSettlement): void {
    queue.putOff(queued.settlement.id, queued, clock.nowMs());
  }

  /**
   * Once per turn of the event loop, so that what is claimed together goes out together. While
   * every wallet has something on its way, a batch may gather for a moment: slots are few, and
   * the block that takes it is further away than that.
   */
  function schedule(): void {
    if (isScheduled || queue.readySize === 0) return;
    isScheduled = true;
    const most = deps.batching()?.paymentsMax ?? 1;
    const isBusy = lanes.every((lane) => lane.slots().length + (promised.get(lane) ?? 0) > 0);
    if (isBusy && queue.readySize < most) void clock.sleep(gatherMs).then(dispatch);
    else setImmediate(dispatch);
  }

  return {
    hasRoom: (waiter) => queue.hasRoom(guestOf(waiter)),
    reserve: (waiter) => queue.reserve(guestOf(waiter)),
    enqueue(queued) {
      const { settlement, goesAlone = false } = queued;
      const { id, createdAt, priority } = settlement;
      if (priority === "keyed") use.noteKeyed();
      queue.add({ ...guestOf(settlement, goesAlone), id, since: createdAt }, queued);
      if (settlement.payerHasCode) void preferProven(settlement);
      schedule();
    },
    forget(ids) {
      for (const id of ids) queue.end(id);
    },
    dispatch(withDelayed = false) {
      if (withDelayed) {
        const now = clock.nowMs();
        queue.resume(now);
        queue.releaseOlderThan(now - endUnheardMs);
      }
      dispatch();
    },
    size: () => queue.size,
    async stop() {
      isStopping = true;
      await Promise.all(working);
    },
  };
}

/** Keyed callers are told apart by their account, keyless ones by the payee. */
function guestOf(waiter: Waiter, goesAlone = false): Guest {
  const { payer, payTo, owner, priority, payerHasCode } = waiter;
  const isKeyed = priority === "keyed";
  return {
    group: ((isKeyed ? owner : null) ?? payTo).toLowerCase(),
    payer: payer.toLowerCase(),
    isKeyed,
    isAlone: payerHasCode || goesAlone,
  };
}

/** Two payments of one payer may each pass alone and not both: his balance decides. */
function hasPayerTwice(group: readonly QueuedSettlement[]): boolean {
  return new Set(group.map(({ settlement }) => settlement.payer)).size < group.length;
}

/** A wallet that is nearly empty carries as much as it can pay for. */
function sizeFor(lane: NonceManager, plans: readonly TransactionPlan[], settings: BatchSettings) {
  const [whole] = batchPlans(plans, settings);
  return whole && !lane.canAfford(whole) ? { ...settings, paymentsMax: 1 } : settings;
}
